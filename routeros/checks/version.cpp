#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/deploy/attributes.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kUpgrade =
    "`/system/package/update/install` (it reboots), then the container package of the same version";

Finding run(const Facts& facts, const Options& options) {
  const std::string given = printable(facts.settings("/system/resource").text("version"));
  const std::optional<Version> version = facts.version();
  if (!version) {
    if (std::optional<Finding> hidden = unreadable(facts, {"/system/resource"})) return *hidden;
    return missing(given.empty() ? "the router did not say its version" : given,
                   "run this again when the router has finished booting");
  }
  if (*version < kOldestVersion) {
    return missing(fmt::format("{}; containers need RouterOS {}", given, format_version(kOldestVersion)),
                   std::string(kUpgrade));
  }
  if (options.privileged == "yes" && !supports(*version, "/container", "privileged")) {
    return missing(fmt::format("{}; --privileged yes needs {}", given, format_version(kPrivilegedVersion)),
                   fmt::format("leave out --privileged yes, or {}", kUpgrade));
  }
  if (*version < kFullVersion) {
    return warn(fmt::format("{}: installed without a memory limit and without restarts, which came with {}",
                            given, format_version(kFullVersion)),
                std::string(kUpgrade));
  }
  if (wants_privileged(options, *version)) return ok(given);
  if (options.privileged == "no") return ok(fmt::format("{}, not privileged as asked", given));
  return ok(fmt::format("{}; the agent runs without privileges, which need {}", given,
                        format_version(kPrivilegedVersion)));
}

}  // namespace

const Check kVersionCheck{"version", "RouterOS is recent enough", "/system/resource",
                          "Containers as the installation makes them exist from 7.9. From 7.20 their memory "
                          "can be limited and they "
                          "are restarted; from 7.24 they can be privileged, which lets the agent read the "
                          "kernel's log, slabs, flash "
                          "errors and performance counters.",
                          run};

}  // namespace mikroscope::routeros
