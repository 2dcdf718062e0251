// What /tool/fetch of RouterOS makes of an agent's replies.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "routeros/session/trouble.h"

namespace mikroscope::cli {

// The most that `output=user` hands on; longer replies are cut there without a word (seen on RouterOS 7.24).
inline constexpr std::size_t kRelayLimit = 64'512;
// What is asked for of the agent, in octets before base64: 64000 of them as text.
inline constexpr std::size_t kRelayBytes = 48'000;

// The whole text as base64 with its padding; nothing when it is not, or was cut.
std::optional<std::string> decode_base64(std::string_view text);

// The HTTP status that a failed fetch names: 404 of "failure: Status 404, Not Found".
std::optional<int> fetch_status(std::string_view message);

// Why the router could not fetch, for people. `url` without secrets, `router` names the session.
base::Error fetch_error(const routeros::DeviceError& error, std::string_view url, std::string_view router);

}  // namespace mikroscope::cli
