#include "routeros/api/tls_trust.h"

#include <fmt/format.h>

#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kDigits = 64;

base::Result<void> check_store(const std::string& fingerprint, const TlsTrust& trust) {
  if (trust.store == nullptr)
    return base::Error{"nothing says which certificate is the router's", "give --fingerprint or --ca-file",
                       base::Exit::usage};
  const base::Result<Trust> verdict =
      check_trust(*trust.store, {KeyKind::tls, trust.host, trust.port, fingerprint, trust.shown_as},
                  trust.accept_new_key);
  if (!verdict.ok()) return verdict.error();
  if (*verdict != Trust::known && trust.note) {
    trust.note(
        fmt::format("{} port {}: {} SHA-256 {}; compare it with `/certificate/print detail` on the router",
                    trust.host, trust.port,
                    *verdict == Trust::first_use
                        ? "its certificate is seen for the first time and is trusted from now on:"
                        : "the new certificate is recorded in place of the old one:",
                    fingerprint));
  }
  return {};
}

}  // namespace

base::Result<void> check_certificate(const TlsEngine& tls, const TlsTrust& trust) {
  const std::string fingerprint = tls.fingerprint();
  if (fingerprint.empty())
    return base::Error{"the router showed no certificate", "give its api-ssl service one",
                       base::Exit::refused};
  if (!trust.ca_file.empty() && !tls.names(trust.host)) {
    return base::Error{
        fmt::format("the certificate is made out to \"{}\" and not to {}", printable(tls.subject()),
                    trust.host),
        fmt::format("name the router as the certificate does, or accept just this one with --fingerprint {}",
                    fingerprint),
        base::Exit::refused};
  }
  if (!trust.fingerprint.empty() && trust.fingerprint != fingerprint) {
    return base::Error{
        fmt::format("the certificate's SHA-256 is {}, and not the given {}", fingerprint, trust.fingerprint),
        "compare both with `/certificate/print detail` on the router", base::Exit::refused};
  }
  if (trust.ca_file.empty() && trust.fingerprint.empty()) return check_store(fingerprint, trust);
  return {};
}

base::Result<std::string> plain_fingerprint(std::string_view text) {
  std::string out;
  std::string_view rest = text;
  for (const std::string_view prefix : {"sha256:", "SHA256:"}) {
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  }
  bool good = true;
  for (const char c : rest) {
    if (c == ':' || c == ' ') continue;
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
    good = good && ((lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f'));
    out += lower;
  }
  if (good && out.size() == kDigits) return out;
  return base::Error{
      fmt::format("\"{}\" is no SHA-256 fingerprint of a certificate: {} hexadecimal digits are",
                  printable(text), kDigits),
      "copy it from `/certificate/print detail` on the router, or from the first connection's message",
      base::Exit::usage};
}

}  // namespace mikroscope::routeros
