// The names that differ between the two containers that an upgrade holds side by side.
#pragma once

#include <cstdint>
#include <string>

#include "routeros/deploy/options.h"

namespace mikroscope::routeros {

// An installation begins in slot a; each upgrade changes to the other. Slot b's names begin with '_', which
// no installation's name does, so they meet nobody else's.
enum class Slot : std::uint8_t { a, b };
inline constexpr Slot kSlots[] = {Slot::a, Slot::b};

inline Slot other(Slot slot) {
  return slot == Slot::a ? Slot::b : Slot::a;
}

struct StepNames {
  Slot slot = Slot::a;
  std::string env_list;  // "NAME-env"
  std::string root_dir;  // "[DISK/]mikroscope/NAME"
  std::string tar_file;  // "[DISK/]NAME.tar"
};
StepNames step_names(const Options& options, Slot slot);

// RouterOS stores root-dir with a leading '/'; files are listed without.
std::string_view without_slash(std::string_view path);

}  // namespace mikroscope::routeros
