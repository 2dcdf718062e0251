// What is behind a port that does not answer as an API does.
#pragma once

#include <string>
#include <string_view>

#include "routeros/session/trouble.h"
#include "routeros/session/wait.h"

namespace mikroscope::routeros {

// A connection without a single octet: RouterOS does that to an address that it does not serve, and to one
// session too many. A port for TLS does it to a client without.
LostConnection closed_without_a_word(bool tls);
// Octets that begin no reply of the API. `first_octets` are those of the connection, `why` says what was
// wrong.
LostConnection not_an_api(std::string_view first_octets, bool tls, const std::string& why);
// The TLS handshake ended with `net`. `reason` is TlsEngine::reason(), `why` its words.
struct FailedHandshake {
  Net net = Net::failed;
  int reason = 0;
  std::string why;
  std::string first_octets;
  bool anonymous = false;
  std::int64_t timeout_ms = 0;
};
LostConnection no_handshake(const FailedHandshake& failed);

}  // namespace mikroscope::routeros
