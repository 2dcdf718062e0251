// Everything on a router that carries an installation's tag, wherever it is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "routeros/deploy/apply_container.h"

namespace mikroscope::routeros {

// Menus in which something could carry the tag, in the order of removal: what refers to something comes
// before it. Containers and environment lists are not among them: they have their own procedure.
struct SweepMenu {
  std::string_view path;
  std::string_view what;                    // "NAT rule"
  std::span<const std::string_view> shown;  // attributes that tell one from another
};
std::span<const SweepMenu> all_sweep_menus();

struct Tagged {
  std::string menu;
  std::string id;
  std::string label;      // "NAT rule chain=dstnat dst-port=9123", printable
  std::string list = {};  // of an environment entry
};

struct Sweep {
  std::vector<Tagged> found;
  // Menus that could not be looked into, with the router's words; a menu that does not exist holds nothing.
  std::vector<std::string> unreadable;
};
// Rows whose comment is exactly `tag`. `more` names further menus (of a manifest).
base::Result<Sweep> sweep(const Link& link, const std::string& tag, const std::vector<std::string>& more);

}  // namespace mikroscope::routeros
