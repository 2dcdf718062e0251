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
  bool (*exists)(const Version&) = nullptr;  // null: in every version
};
std::span<const MenuDef> all_menus();
const MenuDef* find_menu(std::string_view path);

struct MenuRead {
  const MenuDef* menu = nullptr;
  std::vector<Row> rows;
  std::optional<DeviceError> refused;  // the menu could not be read: no such menu, or no policy
};

struct Facts {
  bool assumed = false;  // made up for an offline plan; nothing was read
  std::vector<MenuRead> menus;
  std::string local_address;      // this machine, as the router sees it; may be ""
  std::int64_t read_wall_ns = 0;  // this machine's clock

  // Null when it was not read or refused; see `refused`.
  const std::vector<Row>* rows(std::string_view path) const;
  const DeviceError* refused(std::string_view path) const;
  // The single row of a settings menu; an empty row when it could not be read.
  const Row& settings(std::string_view path) const;
  // The menu's rows, replacing those that were there; its definition must be in all_menus().
  void put(std::string_view path, std::vector<Row> rows);
  void put_refused(std::string_view path, DeviceError error);

  std::optional<Version> version() const;
  std::string_view architecture() const;  // arm, arm64, x86_64; "" when unknown
};

// A menu that an installation writes to or compares with may be empty on a router: then rows() is an empty
// vector, not null. Facts for a plan without a router: this version, this architecture-name, nothing else.
Facts assumed_facts(const Version& version, std::string_view architecture);

}  // namespace mikroscope::routeros
