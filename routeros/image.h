// The agent's container image: a tar that RouterOS imports with /container/add file=…
//
// It has the layout that `docker save` wrote before version 25 (manifest.json, a config, one layer.tar),
// because that is the only one every RouterOS reads; an OCI layout fails there with "could not find image
// manifest in archive".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::routeros {

enum class Arch : unsigned char { arm64, armv5, armv7, amd64 };
inline constexpr Arch kArchs[] = {Arch::arm64, Arch::armv5, Arch::armv7, Arch::amd64};

// arm64, armv5, armv7, amd64: the names of the agents.
std::string_view arch_name(Arch arch);
// Those names and RouterOS's architecture-name: arm64, arm, x86_64. `arm` is armv5: boards with an EN7562CT
// report `arm` and stop an ARMv7 program with "CPU not supported", while every `arm` board runs ARMv5 code.
base::Result<Arch> parse_arch(std::string_view name);

inline constexpr std::string_view kImageTag = "mikroscope/agent:local";
inline constexpr std::string_view kAgentPath =
    "/mikroscope-agent";  // in the container; the image's entry point

// The image of `agent`, a static ELF program for `arch`. The same input gives the same bytes.
// Error: the bytes are no program for that architecture.
base::Result<std::string> build_image(Arch arch, std::span<const std::byte> agent);

struct ImageInfo {
  Arch arch = Arch::arm64;
  std::string tag;
  std::string image_sha256;  // of the whole tar, as hexadecimal digits
  std::string layer_sha256;
  std::size_t agent_bytes = 0;
  std::vector<std::string> notes;  // what a user of this image should know
};

// Checks everything that an import on RouterOS depends on: layout, hashes, entry point, the program's
// architecture. An error names the first thing that is wrong.
base::Result<ImageInfo> inspect_image(std::string_view tar);

}  // namespace mikroscope::routeros
