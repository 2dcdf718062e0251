// What a router has at the moment: tracked connections, queues, clients of its services.
#include <fmt/format.h>

#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

// Rows that presets put there and that nobody writes.
std::unique_ptr<Menu> only_read(std::string_view path, std::string_view since = {}) {
  return std::make_unique<Menu>(MenuDef{.path = path, .fixed = true, .exported = false, .since = since});
}

class Connections final : public Menu {
 public:
  Connections() : Menu({.path = "/ip/firewall/connection", .fixed = true, .exported = false}) {}
  // Between 150 and 199 of them.
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all;
    const std::int64_t count = 150 + state.now() / 1000 % 50;
    for (std::int64_t i = 0; i < count; ++i) {
      all.push_back({{".id", fmt::format("*{:X}", i + 1)},
                     {"protocol", "tcp"},
                     {"src-address", fmt::format("192.168.88.10:{}", 40'000 + i)},
                     {"dst-address", "198.51.100.80:443"}});
    }
    return all;
  }
};

constexpr Param kSimple[] = {
    {"name", nullptr, {}, {}, {}, {}, true}, {"target"},  {"parent", nullptr, "none"},
    {"max-limit", nullptr, "0/0"},           {"comment"}, {"disabled", check_flag, "false"}};
constexpr Param kTree[] = {{"name", nullptr, {}, {}, {}, {}, true},
                           {"parent"},
                           {"packet-mark"},
                           {"max-limit", nullptr, "0"},
                           {"comment"},
                           {"disabled", check_flag, "false"}};

class Queues final : public Menu {
 public:
  Queues(std::string_view path, std::span<const Param> params, bool both_ways)
      : Menu({.path = path,
              .params = params,
              .already = "failure: already have queue with such name",
              .unique = {"name"}}),
        both_ways_(both_ways) {}
  // Counters come with `stats` only.
  std::vector<Row> printed(const State& state, const Request& request) const override {
    std::vector<Row> all = rows(state);
    if (!request.attributes.has("stats")) return all;
    const std::int64_t seconds = state.now() / 1000;
    for (Row& row : all) {
      put(row, "rate", 48'000, 1'200'000);
      put(row, "bytes", seconds * 6'000, seconds * 150'000);
      put(row, "packets", seconds * 40, seconds * 120);
      put(row, "dropped", 3, 17);
      put(row, "queued-bytes", 0, 3'000);
      put(row, "queued-packets", 0, 2);
    }
    return all;
  }

 private:
  void put(Row& row, std::string_view name, std::int64_t up, std::int64_t down) const {
    row.put(name, both_ways_ ? fmt::format("{}/{}", up, down) : std::to_string(up + down));
  }

  bool both_ways_;
};

}  // namespace

std::unique_ptr<Menu> make_connections() {
  return std::make_unique<Connections>();
}
std::unique_ptr<Menu> make_neighbors6() {
  return only_read("/ipv6/neighbor");
}
std::unique_ptr<Menu> make_simple_queue() {
  return std::make_unique<Queues>("/queue/simple", kSimple, true);
}
std::unique_ptr<Menu> make_queue_tree() {
  return std::make_unique<Queues>("/queue/tree", kTree, false);
}
std::unique_ptr<Menu> make_ppp_active() {
  return only_read("/ppp/active");
}
std::unique_ptr<Menu> make_leases() {
  return only_read("/ip/dhcp-server/lease");
}
std::unique_ptr<Menu> make_hotspot_active() {
  return only_read("/ip/hotspot/active");
}
std::unique_ptr<Menu> make_wifi_clients() {
  return only_read("/interface/wifi/registration-table", "7.13");
}

}  // namespace mikroscope::routersim
