// What is behind a port that does not answer as an API does.
#pragma once

#include <string>
#include <string_view>

#include "routeros/api/tls.h"
#include "routeros/session/trouble.h"
#include "routeros/session/wait.h"

namespace mikroscope::routeros {

// A connection without a single octet: RouterOS does that to an address that it does not serve, and to one
// session too many.
LostConnection closed_without_a_word();
// Octets that begin no reply of the API. `first_octets` are those of the connection, `why` says what was
// wrong.
LostConnection not_an_api(std::string_view first_octets, bool tls, const std::string& why);
// The TLS handshake ended with `net`.
LostConnection no_handshake(Net net, const TlsEngine& tls, std::string_view first_octets,
                            const std::string& why, std::int64_t timeout_ms);

}  // namespace mikroscope::routeros
