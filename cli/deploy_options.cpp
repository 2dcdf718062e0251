#include "cli/deploy_options.h"

#include <fmt/format.h>

#include <map>

namespace mikroscope::cli {
namespace {

// "--iface-list" for every option: views of these stay in the parser.
std::string_view flag_of(const routeros::OptionDef& def) {
  static std::map<std::string_view, std::string> flags;
  return flags.try_emplace(def.name, fmt::format("--{}", def.name)).first->second;
}

}  // namespace

void DeployOptions::declare(OptionSet& set, bool (*wanted)(const routeros::OptionDef&)) {
  for (const routeros::OptionDef& def : routeros::all_options()) {
    if (wanted != nullptr && !wanted(def)) continue;
    OptionSpec spec;
    spec.names = flag_of(def);
    spec.group = def.group;
    spec.value = def.value;
    spec.help = def.help;
    spec.choices = def.choices;
    if (!def.value.empty()) spec.default_text = def.fallback;
    set.add(spec, [this, &def](const std::string& text, Origin) -> base::Result<void> {
      base::Result<void> done = def.set(options_, text);
      if (done.ok()) given_.emplace(def.name);
      return done;
    });
  }
}

}  // namespace mikroscope::cli
