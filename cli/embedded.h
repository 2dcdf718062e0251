// The router agents that this program carries, so that an installation needs no compiler, registry or
// download.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace mikroscope::cli {

// Names of the architectures that agents exist for.
inline constexpr std::string_view kAgentArchs[] = {"arm64", "armv5", "armv7", "amd64"};

// The stripped agent for one of kAgentArchs, a static ELF program. Empty for another name, and where this
// build was made without that agent (MIKROSCOPE_EMBED_AGENTS).
std::span<const std::byte> embedded_agent(std::string_view arch);

}  // namespace mikroscope::cli
