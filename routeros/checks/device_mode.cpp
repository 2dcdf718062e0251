#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

Finding run(const Facts& facts, const Options&) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/system/device-mode"})) return *hidden;
  const Row& mode = facts.settings("/system/device-mode");
  if (mode.flag("flagged")) {
    return missing("the router has flagged its configuration as suspicious",
                   "check the router for foreign changes, then `/system/device-mode/update flagged=no` and "
                   "confirm at the device");
  }
  if (mode.flag("container")) return ok(fmt::format("mode {}", printable(mode.text("mode"))));
  return missing(
      fmt::format("mode {}, container=no", printable(mode.text("mode"))),
      "`/system/device-mode/update container=yes`, then confirm at the device within five minutes: "
      "press its button or switch its power off and on");
}

}  // namespace

const Check kDeviceModeCheck{"device-mode", "device-mode allows containers", "/system/device-mode",
                             "RouterOS keeps containers off until somebody at the device has allowed them. "
                             "This program never sends the "
                             "command: it holds the session until the button is pressed.",
                             run};

}  // namespace mikroscope::routeros
