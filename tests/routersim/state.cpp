#include "tests/routersim/state.h"

#include <fmt/format.h>

#include "tests/routersim/container/engine.h"
#include "tests/routersim/menu.h"
#include "tests/routersim/network.h"

namespace mikroscope::routersim {

const Row* Table::by_id(std::string_view id) const {
  return by(".id", id);
}

Row* Table::by_id(std::string_view id) {
  for (Row& row : rows) {
    const std::string* own = row.find(".id");
    if (own != nullptr && *own == id) return &row;
  }
  return nullptr;
}

const Row* Table::by(std::string_view name, std::string_view value) const {
  for (const Row& row : rows) {
    const std::string* own = row.find(name);
    if (own != nullptr && *own == value) return &row;
  }
  return nullptr;
}

State::State(const Config& made_with, const Faults& wrong)
    : config(made_with), ros(parse_ros(made_with.ros)), faults(wrong) {}

State::~State() = default;

Table& State::table(std::string_view path) {
  const auto found = tables.find(path);
  return found != tables.end() ? found->second : tables[std::string(path)];
}

const Table& State::table(std::string_view path) const {
  static const Table kEmpty;
  const auto found = tables.find(path);
  return found != tables.end() ? found->second : kEmpty;
}

Row& State::setting(std::string_view path) {
  return settings[std::string(path)];
}

const Row* State::interface(std::string_view name) const {
  return table("/interface").by("name", name);
}

bool State::interface_list(std::string_view name) const {
  return table("/interface/list").by("name", name) != nullptr;
}

bool State::running(std::string_view name) const {
  const Row* row = interface(name);
  if (row == nullptr || row->flag("disabled")) return false;
  if (row->text("type") == "veth") return engine != nullptr && engine->veth_running(name);
  return row->text("running") != "false";
}

bool State::device_mode(std::string_view key) const {
  const std::string keys = "," + config.device_mode + ",";
  return keys.find(fmt::format(",{},", key)) != std::string::npos;
}

bool State::has_containers() const {
  return config.container_package == "enabled" && at_least("7.4");
}

std::int64_t State::listing_lag() const {
  return faults.listing_lag_ms >= 0 ? faults.listing_lag_ms : config.timing.listing_lag;
}

}  // namespace mikroscope::routersim
