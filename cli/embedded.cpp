#include "cli/embedded.h"

// Laid into the program by cmake/embed-agents.cmake.
extern "C" {
extern const std::byte mikroscope_agent_arm64[];
extern const std::byte mikroscope_agent_arm64_end[];
extern const std::byte mikroscope_agent_armv5[];
extern const std::byte mikroscope_agent_armv5_end[];
extern const std::byte mikroscope_agent_armv7[];
extern const std::byte mikroscope_agent_armv7_end[];
extern const std::byte mikroscope_agent_amd64[];
extern const std::byte mikroscope_agent_amd64_end[];
}

namespace mikroscope::cli {

std::span<const std::byte> embedded_agent(std::string_view arch) {
  if (arch == "arm64") return {mikroscope_agent_arm64, mikroscope_agent_arm64_end};
  if (arch == "armv5") return {mikroscope_agent_armv5, mikroscope_agent_armv5_end};
  if (arch == "armv7") return {mikroscope_agent_armv7, mikroscope_agent_armv7_end};
  if (arch == "amd64") return {mikroscope_agent_amd64, mikroscope_agent_amd64_end};
  return {};
}

}  // namespace mikroscope::cli
