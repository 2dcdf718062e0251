#include "routeros/api/login.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

std::optional<std::string> unhex(std::string_view digits) {
  std::string octets;
  if (digits.empty() || digits.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto high = hex_digit(digits[i]);
    const auto low = hex_digit(digits[i + 1]);
    if (!high || !low) return std::nullopt;
    octets += static_cast<char>(*high << 4 | *low);
  }
  return octets;
}

LostConnection refused(const std::string& user, const DeviceError& trap) {
  const std::string fix =
      trap.not_permitted()
          ? "the account's group needs the policy api: `/user/group/print` on the router"
          : "check the user and the password (MIKROSCOPE_PASSWORD, --password-file, or typed when asked)";
  return {fmt::format("the router refused the login of {}: {}", printable(user), printable(trap.message)),
          fix, base::Exit::auth};
}

// The values of !done.
base::Result<Row, LostConnection> step(ApiConnection& connection, const std::string& user,
                                       Attributes attributes, std::int64_t timeout_ms) {
  const Answer<ApiConnection::Tag> tag = connection.start({"/login", std::move(attributes), {}}, timeout_ms);
  if (!tag.ok()) return std::get<LostConnection>(tag.error());
  Answer<ApiResult> result = connection.wait(*tag);
  if (!result.ok()) return std::get<LostConnection>(result.error());
  if (!result->traps.empty()) return refused(user, result->traps.front());
  return Row(std::move(result->done));
}

}  // namespace

std::optional<std::string> challenge_response(std::string_view password, std::string_view challenge) {
  const std::optional<std::string> octets = unhex(challenge);
  if (!octets) return std::nullopt;
  std::string message(1, '\0');
  message += password;
  message += *octets;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  if (EVP_Digest(message.data(), message.size(), digest, &size, EVP_md5(), nullptr) != 1) return std::nullopt;
  std::string out = "00";
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

base::Result<void, LostConnection> log_in(ApiConnection& connection, const std::string& user,
                                          const std::string& password, std::int64_t timeout_ms) {
  const base::Result<Row, LostConnection> first =
      step(connection, user, {{"name", user}, {"password", password, true}}, timeout_ms);
  if (!first.ok()) return first.error();
  const auto challenge = first->find("ret");
  if (!challenge) return {};
  const std::optional<std::string> response = challenge_response(password, *challenge);
  if (!response) {
    return LostConnection{fmt::format("the router asked for a login of a kind that is not known: \"{}\"",
                                      printable(*challenge)),
                          "is this a RouterOS API? See `/ip/service/print` on the router",
                          base::Exit::failed};
  }
  const base::Result<Row, LostConnection> second =
      step(connection, user, {{"name", user}, {"response", *response, true}}, timeout_ms);
  if (!second.ok()) return second.error();
  return {};
}

}  // namespace mikroscope::routeros
