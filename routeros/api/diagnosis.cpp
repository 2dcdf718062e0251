#include "routeros/api/diagnosis.h"

#include <fmt/format.h>
#include <openssl/ssl.h>

#include "base/host/duration.h"

namespace mikroscope::routeros {
namespace {

constexpr const char* kServices =
    "the API is at port 8729 (api-ssl) or 8728 (api, plain): see `/ip/service/print` on the router";
constexpr const char* kNoCertificate =
    "a router whose api-ssl service has no certificate offers anonymous TLS only: give it one "
    "(`/certificate/add`, `/certificate/sign`, `/ip/service/set api-ssl certificate=NAME`), or accept "
    "encryption without "
    "any proof of who answers with --tls-anonymous";
constexpr const char* kHasCertificate =
    "a router whose api-ssl service has a certificate does not offer anonymous TLS: leave out "
    "--tls-anonymous";

bool is_tls(std::string_view octets) {
  return octets.size() >= 2 && octets[0] >= 0x14 && octets[0] <= 0x17 && octets[1] == 0x03;
}

// "an HTTP server", or "" when there is no telling.
std::string_view kind_of(std::string_view octets) {
  if (octets.starts_with("HTTP/") || octets.starts_with("<!DO") || octets.starts_with("<htm"))
    return "an HTTP server";
  if (octets.starts_with("SSH-")) return "an SSH server";
  if (octets.starts_with("220 ") || octets.starts_with("220-")) return "an FTP or mail server";
  if (is_tls(octets)) return "a TLS server";
  return "";
}

}  // namespace

LostConnection closed_without_a_word(bool tls) {
  std::string fix =
      "this machine's address may be missing from the service's list of addresses, or the service's "
      "max-sessions are in use: `/ip/service/print detail` on the router shows both";
  if (!tls) fix += "; and the port of api-ssl closes like that too";
  return {"the router accepted the connection and closed it without a word", std::move(fix),
          base::Exit::failed};
}

LostConnection not_an_api(std::string_view first_octets, bool tls, const std::string& why) {
  // Within TLS the first octets are TLS's own, and say nothing of what speaks inside.
  const std::string_view kind = tls ? std::string_view() : kind_of(first_octets);
  if (kind.empty())
    return {fmt::format("this port does not speak the RouterOS API: it sent {}", why), kServices,
            base::Exit::failed};
  return {fmt::format("this port does not speak the plain RouterOS API: it is {}", kind),
          is_tls(first_octets) ? std::string("use api-ssl for this port; ") + kServices : kServices,
          base::Exit::failed};
}

LostConnection no_handshake(const FailedHandshake& failed) {
  const auto lost = [](std::string what, std::string fix) {
    return LostConnection{std::move(what), std::move(fix), base::Exit::failed};
  };
  const char* const no_cipher = failed.anonymous ? kHasCertificate : kNoCertificate;
  switch (failed.net) {
    case Net::interrupted:
      return {"interrupted", "", base::Exit::interrupted};
    case Net::timeout:
      return lost(
          fmt::format("no TLS handshake within {}", base::format_duration(failed.timeout_ms * 1'000'000)),
          std::string("if this is the port of the plain API, say --api-plain; ") + kServices);
    case Net::closed:
      if (failed.first_octets.empty()) {
        LostConnection silent = closed_without_a_word(true);
        silent.fix +=
            "; a port without TLS, and a router without a certificate (--tls-anonymous), may do that too";
        return silent;
      }
      return lost("the router ended the TLS handshake", no_cipher);
    default:
      break;
  }
  if (!failed.first_octets.empty() && !is_tls(failed.first_octets)) {
    const std::string_view kind = kind_of(failed.first_octets);
    return lost(fmt::format("this port does not speak TLS{}{}", kind.empty() ? "" : ": it is ", kind),
                kServices);
  }
  switch (failed.reason) {
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_TLSV1_ALERT_INSUFFICIENT_SECURITY:
      return lost("the TLS handshake failed: no cipher that both sides accept", no_cipher);
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return {
          fmt::format("the router's certificate does not come from the given authorities: {}", failed.why),
          "give the authority that signed it with --ca-file, or its own fingerprint with --fingerprint",
          base::Exit::refused};
    default:
      return lost(
          "the TLS handshake failed: " + failed.why,
          "see `/log/print` on the router, and the tls-version of the service in `/ip/service/print`");
  }
}

}  // namespace mikroscope::routeros
