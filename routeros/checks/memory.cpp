#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/deploy/attributes.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::uint64_t kPullBytes = 16ULL << 20;  // what the router needs while it pulls an image

Finding run(const Facts& facts, const Options& options) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/system/resource"})) return *hidden;
  const std::optional<std::uint64_t> free =
      parse_bytes(facts.settings("/system/resource").text("free-memory"));
  if (!free) return warn("the router did not say how much memory is free", "see `/system/resource/print`");
  const std::uint64_t wanted = options.memory_bytes();
  const std::string evidence =
      fmt::format("{} free, the container may use {}", mib(*free), options.memory_max);
  if (*free < wanted) {
    return missing(evidence,
                   fmt::format("free memory on the router, or give a smaller --memory-max (and with "
                               "it a smaller --buffer or --rate)"));
  }
  if (!options.remote_image.empty() && *free < wanted + kPullBytes) {
    return warn(evidence + ", and pulling an image takes some more",
                "leave out --remote-image: an upload needs less, or give a smaller --memory-max");
  }
  return ok(evidence);
}

}  // namespace

const Check kMemoryCheck{"memory", "enough memory is free", "/system/resource",
                         "The container may use as much as --memory-max. A router that runs out of memory "
                         "reboots.",
                         run};

}  // namespace mikroscope::routeros
