// Sends a file to the router by SFTP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "routeros/session/session.h"
#include "routeros/ssh/link.h"

namespace mikroscope::routeros {

// A path that lands where it says on a router: relative, of letters, digits, '.', '_', '-' and '/'. RouterOS
// replaces other characters in names of files.
bool is_upload_name(std::string_view name);

// Replaces a file of that name. `timeout_ms` is how long the router may be silent. A DeviceError says how
// much arrived; what did arrive is left there. The result is the size that the router gives, when it does.
Answer<std::optional<std::uint64_t>> sftp_upload(SshLink& link, const std::string& name,
                                                 std::string_view bytes, const Progress& progress,
                                                 std::int64_t timeout_ms);

}  // namespace mikroscope::routeros
