// Which key a router showed: recorded on first use, compared ever after.
//
// RouterOS certificates are self-signed as a rule and name no host, so that neither authorities nor names say
// anything; SSH host keys are like that anyway.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::routeros {

enum class KeyKind : std::uint8_t { tls, ssh };

// Fingerprints are compared as text: for tls 64 lower-case hexadecimal digits of the certificate's SHA-256
// (as /certificate/print shows it), for ssh what the SSH client makes of the host key ("SHA256:…").
class TrustStore {
 public:
  virtual ~TrustStore() = default;
  // Nothing for a router that was never seen.
  virtual base::Result<std::optional<std::string>> lookup(KeyKind kind, const std::string& host,
                                                          int port) const = 0;
  // Replaces what was recorded.
  virtual base::Result<void> remember(KeyKind kind, const std::string& host, int port,
                                      const std::string& fingerprint) = 0;
};

// A text file of lines "tls 192.168.88.1 8729 3f2a…"; '#' begins a comment. It is made with mode 0600 in a
// directory of mode 0700 and replaced whole. A line that is none of these is an error, since passing over it
// could mean to trust a key anew.
class KnownRouters final : public TrustStore {
 public:
  explicit KnownRouters(std::string path) : path_(std::move(path)) {}

  base::Result<std::optional<std::string>> lookup(KeyKind kind, const std::string& host,
                                                  int port) const override;
  base::Result<void> remember(KeyKind kind, const std::string& host, int port,
                              const std::string& fingerprint) override;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct SeenKey {
  KeyKind kind = KeyKind::tls;
  std::string host;
  int port = 0;
  std::string fingerprint;
  std::string router;  // as for --router: "admin@192.168.88.1"
};
enum class Trust : std::uint8_t { known, first_use, replaced };

// Compares a key with the recorded one and records it where that is right: on first use, and in place of
// another one with `accept_new`. A change without it is an error (Exit::refused) that shows both fingerprints
// and the command that accepts the new one.
base::Result<Trust> check_trust(TrustStore& store, const SeenKey& key, bool accept_new);

}  // namespace mikroscope::routeros
