// The login of the API.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "routeros/api/connection.h"

namespace mikroscope::routeros {

// From RouterOS 6.43 on name and password are sent and that is all. An older one answers with a challenge,
// which is then answered; never after a refusal. A refused login is LostConnection{exit = auth}: the router
// logs every one as critical, so nothing is tried again.
base::Result<void, LostConnection> log_in(ApiConnection& connection, const std::string& user,
                                          const std::string& password, std::int64_t timeout_ms);

// What the challenge of an old router is answered with: "00" and the MD5 of a zero octet, the password and
// the challenge's octets. Nothing when the challenge is no run of hexadecimal digits.
std::optional<std::string> challenge_response(std::string_view password, std::string_view challenge);

}  // namespace mikroscope::routeros
