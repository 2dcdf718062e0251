#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/session/text.h"
#include "routeros/session/version.h"

namespace mikroscope::routeros {
namespace {

Finding run(const Facts& facts, const Options&) {
  if (std::optional<Finding> hidden = unreadable(facts, {"/system/package"})) return *hidden;
  const std::string router(facts.settings("/system/resource").text("version"));
  const std::string wanted = router.substr(0, router.find(' '));
  for (const Row& row : *facts.rows("/system/package")) {
    if (row.text("name") != "container" || row.flag("available")) continue;
    const std::string version = printable(row.text("version"));
    if (row.flag("disabled")) {
      return missing(fmt::format("container {}, disabled", version),
                     "`/system/package/enable container`, then `/system/reboot`");
    }
    const std::optional<Version> of_package = parse_version(version);
    if (of_package && facts.version() && *of_package != *facts.version()) {
      return warn(fmt::format("container {}, but RouterOS {}", version, printable(wanted)),
                  fmt::format("install the container package of {} and `/system/reboot`", printable(wanted)));
    }
    return ok(fmt::format("container {}", version));
  }
  return missing(
      "there is no container package",
      fmt::format("download \"Extra packages\" for RouterOS {} ({}) from mikrotik.com/download, upload "
                  "container-{}-….npk to the router, then `/system/reboot`",
                  printable(wanted), printable(facts.architecture()), printable(wanted)));
}

}  // namespace

const Check kPackageCheck{
    "container-package", "the container package is installed and enabled",
    "/system/package, /system/resource",
    "Without it the menu /container does not exist. Its version must be that of RouterOS.", run};

}  // namespace mikroscope::routeros
