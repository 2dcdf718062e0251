#include "routeros/deploy/step_names.h"

namespace mikroscope::routeros {

StepNames step_names(const Options& options, Slot slot) {
  if (slot == Slot::a) return {slot, options.env_list(), options.root_dir(), options.tar_file()};
  const std::string disk = options.disk.empty() ? "" : options.disk + "/";
  return {slot, "_" + options.env_list(), options.directory() + "/_" + options.name,
          disk + "_" + options.name + ".tar"};
}

std::string_view without_slash(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace mikroscope::routeros
