// Whether a certificate is the router's.
#pragma once

#include <functional>
#include <string>

#include "base/host/result.h"
#include "routeros/api/tls.h"
#include "routeros/session/known_routers.h"

namespace mikroscope::routeros {

struct TlsTrust {
  std::string host;
  int port = 0;
  std::string shown_as;     // for --router
  std::string ca_file;      // the handshake has checked the chain; here the name is
  std::string fingerprint;  // as plain_fingerprint() gives it
  TrustStore* store = nullptr;
  bool accept_new_key = false;
  std::function<void(const std::string& line)> note;
};

// After the handshake and before anything secret is sent. Errors are Exit::refused.
base::Result<void> check_certificate(const TlsEngine& tls, const TlsTrust& trust);

// 64 lower-case hexadecimal digits, from that with colons, in any case, or with "sha256:" before it.
base::Result<std::string> plain_fingerprint(std::string_view text);

}  // namespace mikroscope::routeros
