// The insides of a Router, shared by its menus. Whoever touches it holds the router's lock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/routersim/config.h"
#include "tests/routersim/faults.h"
#include "tests/routersim/files.h"
#include "tests/routersim/log.h"
#include "tests/routersim/request.h"
#include "tests/routersim/version.h"

namespace mikroscope::routersim {

class Engine;
class Menus;
class Network;

// The rows of one menu, in the order that counts for it.
struct Table {
  std::vector<Row> rows;
  std::uint64_t next = 1;  // ids are never used again

  Row* by_id(std::string_view id);
  const Row* by_id(std::string_view id) const;
  const Row* by(std::string_view name, std::string_view value) const;
};

struct State {
  State(const Config& config, const Faults& faults);
  ~State();

  const Config& config;
  std::recursive_mutex* lock = nullptr;  // the router's; taken again by work that is done outside it
  RosVersion ros;
  Faults faults;
  Files files;
  Log log;
  std::map<std::string, Table, std::less<>> tables;  // by the menu's path
  std::map<std::string, Row, std::less<>> settings;
  std::unique_ptr<Menus> menus;
  std::unique_ptr<Network> network;
  std::unique_ptr<Engine> engine;
  std::int64_t booted_ms = 0;
  std::uint64_t boots = 1;
  std::int64_t writes = 0;  // since the start, for the faults that count them
  std::map<Via, int> sessions;

  std::int64_t now() const { return config.clock->now_ms(); }
  bool at_least(std::string_view version) const { return ros >= parse_ros(version); }
  bool booting() const { return faults.boot_ms > 0 && now() - booted_ms < faults.boot_ms; }
  Table& table(std::string_view path);
  const Table& table(std::string_view path) const;
  Row& setting(std::string_view path);

  const Row* interface(std::string_view name) const;  // any kind
  bool interface_list(std::string_view name) const;   // built in or not
  bool running(std::string_view interface) const;     // a veth only while its container runs
  bool device_mode(std::string_view key) const;
  bool has_containers() const;  // the package is there and on
  std::int64_t listing_lag() const;
};

}  // namespace mikroscope::routersim
