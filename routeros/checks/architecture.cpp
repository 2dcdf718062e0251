#include <fmt/format.h>

#include "routeros/checks/support.h"
#include "routeros/image.h"
#include "routeros/session/text.h"

namespace mikroscope::routeros {
namespace {

Finding run_architecture(const Facts& facts, const Options&) {
  const std::string_view name = facts.architecture();
  if (name.empty()) {
    if (std::optional<Finding> hidden = unreadable(facts, {"/system/resource"})) return *hidden;
    return missing("the router did not say its architecture",
                   "run this again when the router has finished booting");
  }
  if (parse_arch(name).ok()) return ok(std::string(name));
  return missing(fmt::format("{}: MikroTik makes no container package for it", printable(name)),
                 "use a router with arm, arm64 or x86_64");
}

// Boards that report arm and stop an ARMv7 program with an illegal instruction.
bool only_armv5(const Row& resource) {
  const std::string_view board = resource.text("board-name");
  return board.find("E50UG") != std::string_view::npos ||
         board.find("hEX refresh") != std::string_view::npos ||
         board.find("hEX S (2025)") != std::string_view::npos ||
         resource.text("cpu").find("EN7562CT") != std::string_view::npos;
}

Finding run_image(const Facts& facts, const Options& options) {
  const base::Result<Arch> router = parse_arch(facts.architecture());
  if (!router.ok()) return skip("the router's architecture is not known");
  const std::string_view name = facts.architecture();
  if (!options.remote_image.empty()) {
    if (name != "arm") return ok(fmt::format("the router pulls its own of {}", options.remote_image));
    return warn(fmt::format("the router chooses among the arm variants of {}; an ARMv7 one does not run on "
                            "boards with an EN7562CT",
                            options.remote_image),
                "leave out --remote-image: the built-in image for arm runs on all of them");
  }
  if (options.arch == "auto") return ok(fmt::format("{} for {}", arch_name(*router), name));
  const base::Result<Arch> chosen = parse_arch(options.arch);
  if (!chosen.ok()) return skip("no architecture was chosen");
  const bool arm32 = *chosen == Arch::armv5 || *chosen == Arch::armv7;
  if (*chosen != *router && !(name == "arm" && arm32)) {
    return missing(fmt::format("--arch {}, but the router is {}", options.arch, name),
                   fmt::format("leave out --arch, or --arch {}", arch_name(*router)));
  }
  if (*chosen == Arch::armv7) {
    const Row& resource = facts.settings("/system/resource");
    if (only_armv5(resource)) {
      return missing(fmt::format("armv7 on {}, which stops it with \"CPU not supported\"",
                                 printable(resource.text("board-name"))),
                     "--arch armv5");
    }
    return warn("armv7: boards with an EN7562CT (hEX refresh, hEX S 2025) stop it with \"CPU not supported\"",
                "--arch armv5 runs on every arm board");
  }
  return ok(fmt::format("{} for {}", options.arch, name));
}

}  // namespace

const Check kArchitectureCheck{
    "architecture", "the router can have containers", "/system/resource",
    "MikroTik makes the container package for arm, arm64 and x86_64, not for MIPS, PPC or TILE.",
    run_architecture};

const Check kImageCheck{"image", "the image is for this router", "/system/resource",
                        "A program of another architecture does not start. 32-bit ARM boards report one "
                        "name, arm, and some of them "
                        "run ARMv5 code only, so that is what is installed on all.",
                        run_image};

}  // namespace mikroscope::routeros
