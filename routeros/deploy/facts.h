// What a router was read to be. Read once per verb (gather.h); checks, the plan and the removal are pure
// functions over it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/session/row.h"
#include "routeros/session/trouble.h"
#include "routeros/session/version.h"

namespace mikroscope::routeros {

// One menu that is read: one line in menus.cpp. `proplist` is what anyone needs of it; the firewall menus ask
// for every matcher, because a rule with an unknown one must not be taken for a plain one.
struct MenuDef {
  std::string_view path;  // "/ip/firewall/filter"
  std::span<const std::string_view> proplist;
  std::string_view policy;  // what an account needs to read it, beside the session's own: "read", "sensitive"
  std::string_view use;     // what is not known without it: "whether a rule drops the agent's replies"
  bool (*exists)(const Version&);  // null: in every version
};
std::span<const MenuDef> all_menus();

struct MenuRead {
  const MenuDef* menu = nullptr;
  std::vector<Row> rows;
  std::optional<DeviceError> refused;  // the menu could not be read: no such menu, or no policy
};

struct Facts {
  bool assumed = false;  // made up for an offline plan; nothing was read
  std::vector<MenuRead> menus;
  std::string local_address;      // this machine, as the router sees it
  std::int64_t read_wall_ns = 0;  // this machine's clock

  // Null when it was not read or refused; see `refused`.
  const std::vector<Row>* rows(std::string_view path) const;
  const DeviceError* refused(std::string_view path) const;
  // The single row of a settings menu; an empty row when it could not be read.
  const Row& settings(std::string_view path) const;

  std::optional<Version> version() const;
  std::string_view architecture() const;  // arm, arm64, x86_64; "" when unknown
};

}  // namespace mikroscope::routeros
