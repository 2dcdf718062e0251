// What a router does for others: queues, rules, clients, routes. Asked with ApiTierOptions::extras only.
#include <array>
#include <map>

#include "routeros/tier/measurements.h"
#include "routeros/tier/menu.h"

namespace mikroscope::routeros {
namespace {

using model::EventBuilder;

bool extras(const ApiTierOptions& options, const TierState&) {
  return options.extras;
}

struct QueueCell {
  std::string_view attribute;
  std::string_view up;  // of "up/down"
  std::string_view down;
  std::string_view one;  // of a single number
};
constexpr QueueCell kQueueCells[] = {
    {"bytes", "bytes_up", "bytes_down", "bytes"},
    {"packets", "packets_up", "packets_down", "packets"},
    {"dropped", "dropped_up", "dropped_down", "dropped"},
    {"rate", "rate_up", "rate_down", "rate"},
    {"queued-bytes", "queued_bytes_up", "queued_bytes_down", "queued_bytes"},
    {"queued-packets", "queued_packets_up", "queued_packets_down", "queued_packets"}};
// Those that the router makes for each session of a client come and go by the thousand.
constexpr std::string_view kNotDynamic = "dynamic=true #!";
constexpr std::string_view kQueueAttributes =
    "name,parent,target,bytes,packets,dropped,rate,queued-bytes,queued-packets";

void take_queues(const ApiResult& result, std::string_view kind, EventBuilder& out) {
  for (const Row& row : result.rows) {
    out.row(api_queue(), {std::string(kind), label_text(row.text("name")), label_text(row.text("parent")),
                          label_text(row.text("target"))});
    for (const QueueCell& cell : kQueueCells) {
      const std::string_view text = row.text(cell.attribute);
      const std::size_t slash = text.find('/');
      const auto put = [&](std::string_view number, std::string_view field) {
        if (const auto value = whole_number(number)) out.integer(field, *value);
      };
      if (slash == std::string_view::npos) {
        put(text, cell.one);
      } else {
        put(text.substr(0, slash), cell.up);
        put(text.substr(slash + 1), cell.down);
      }
    }
  }
}
void take_simple_queues(const ApiResult& result, TierState&, EventBuilder& out) {
  take_queues(result, "simple", out);
}
void take_queue_tree(const ApiResult& result, TierState&, EventBuilder& out) {
  take_queues(result, "tree", out);
}

void take_rules(const ApiResult& result, std::string_view table, EventBuilder& out) {
  struct Sum {
    std::optional<std::int64_t> bytes;
    std::optional<std::int64_t> packets;
  };
  const auto add = [](std::optional<std::int64_t>& sum, std::optional<std::int64_t> value) {
    if (value) sum = sum.value_or(0) + *value;
  };
  std::map<std::array<std::string, 2>, Sum> rules;
  for (const Row& row : result.rows) {
    if (row.text("comment").empty()) continue;
    Sum& sum = rules[{label_text(row.text("chain")), label_text(row.text("comment"))}];
    add(sum.bytes, whole_number(row.text("bytes")));
    add(sum.packets, whole_number(row.text("packets")));
  }
  for (const auto& [key, sum] : rules) {
    out.row(api_firewall(), {std::string(table), key[0], key[1]});
    if (sum.bytes) out.integer("bytes", *sum.bytes);
    if (sum.packets) out.integer("packets", *sum.packets);
  }
}
void take_filter(const ApiResult& result, TierState&, EventBuilder& out) {
  take_rules(result, "filter", out);
}
void take_nat(const ApiResult& result, TierState&, EventBuilder& out) {
  take_rules(result, "nat", out);
}
void take_mangle(const ApiResult& result, TierState&, EventBuilder& out) {
  take_rules(result, "mangle", out);
}
void take_raw(const ApiResult& result, TierState&, EventBuilder& out) {
  take_rules(result, "raw", out);
}

void take_ppp(const ApiResult& result, TierState& state, EventBuilder& out) {
  std::map<std::string, std::int64_t> services;
  for (const Row& row : result.rows) {
    std::string service = label_text(row.text("service"));
    if (service.empty()) continue;
    state.ppp_services.insert(service);
    ++services[std::move(service)];
  }
  out.row(api_ppp(), {"all"}).integer("active", static_cast<std::int64_t>(result.rows.size()));
  for (const std::string& service : state.ppp_services)
    out.row(api_ppp(), {service}).integer("active", services[service]);
}

void take_leases(const ApiResult& result, TierState&, EventBuilder& out) {
  if (const auto bound = counted(result)) out.row(api_dhcp()).integer("bound", *bound);
}
void take_hotspot(const ApiResult& result, TierState&, EventBuilder& out) {
  if (const auto active = counted(result)) out.row(api_hotspot()).integer("active", *active);
}

// `type` is what interfaces of the system are in /interface: those without clients have 0; "": not known.
void take_clients(const ApiResult& result, std::string_view system, std::string_view type, TierState& state,
                  EventBuilder& out) {
  std::map<std::string, std::int64_t> clients;
  for (const InterfaceInfo& interface : state.inventory.interfaces) {
    if (!type.empty() && interface.type == type) state.radios.emplace(system, interface.name);
  }
  for (const Row& row : result.rows) {
    std::string interface = label_text(row.text("interface"));
    if (interface.empty()) continue;
    state.radios.emplace(system, interface);
    ++clients[std::move(interface)];
  }
  for (const auto& [of, interface] : state.radios) {
    if (of == system) out.row(api_wireless(), {of, interface}).integer("clients", clients[interface]);
  }
}
void take_wifi(const ApiResult& result, TierState& state, EventBuilder& out) {
  take_clients(result, "wifi", "wifi", state, out);
}
void take_wifiwave2(const ApiResult& result, TierState& state, EventBuilder& out) {
  take_clients(result, "wifiwave2", "wifiwave2", state, out);
}
void take_wireless(const ApiResult& result, TierState& state, EventBuilder& out) {
  take_clients(result, "wireless", "wlan", state, out);
}
void take_capsman(const ApiResult& result, TierState& state, EventBuilder& out) {
  take_clients(result, "capsman", "", state, out);
}

void take_routes(const ApiResult& result, TierState&, EventBuilder& out) {
  if (const auto routes = counted(result)) out.row(api_routes(), {"ipv4"}).integer("routes", *routes);
}
void take_neighbors(const ApiResult& result, TierState&, EventBuilder& out) {
  if (const auto entries = counted(result)) out.row(api_neighbors(), {"ipv6"}).integer("entries", *entries);
}

constexpr TierMenu queues(std::string_view name, std::string_view path, auto take) {
  return {.name = name,
          .path = path,
          .pace = Pace::counters,
          .wanted = extras,
          .proplist = kQueueAttributes,
          .mode = "stats",
          .query = kNotDynamic,
          .take = take};
}
constexpr TierMenu rules(std::string_view name, std::string_view path, auto take) {
  return {.name = name,
          .path = path,
          .pace = Pace::counters,
          .wanted = extras,
          .proplist = "chain,comment,bytes,packets",
          .mode = "stats",
          .query = "comment",
          .take = take};
}
constexpr TierMenu listed(std::string_view name, std::string_view path, std::string_view proplist,
                          auto take) {
  return {.name = name, .path = path, .pace = Pace::clients, .proplist = proplist, .take = take};
}
constexpr TierMenu count_of(std::string_view name, std::string_view path, std::string_view query, auto take) {
  return {
      .name = name, .path = path, .pace = Pace::clients, .mode = "count-only", .query = query, .take = take};
}

constexpr std::string_view kRadio = "interface";
const TierMenu kMenus[] = {
    queues("queue/simple", "/queue/simple/print", take_simple_queues),
    queues("queue/tree", "/queue/tree/print", take_queue_tree),
    rules("firewall/filter", "/ip/firewall/filter/print", take_filter),
    rules("firewall/nat", "/ip/firewall/nat/print", take_nat),
    rules("firewall/mangle", "/ip/firewall/mangle/print", take_mangle),
    rules("firewall/raw", "/ip/firewall/raw/print", take_raw),
    listed("ppp", "/ppp/active/print", "service", take_ppp),
    count_of("dhcp", "/ip/dhcp-server/lease/print", "status=bound", take_leases),
    count_of("hotspot", "/ip/hotspot/active/print", "", take_hotspot),
    listed("wifi", "/interface/wifi/registration-table/print", kRadio, take_wifi),
    listed("wifiwave2", "/interface/wifiwave2/registration-table/print", kRadio, take_wifiwave2),
    listed("wireless", "/interface/wireless/registration-table/print", kRadio, take_wireless),
    listed("capsman", "/caps-man/registration-table/print", kRadio, take_capsman),
    count_of("routes", "/ip/route/print", "", take_routes),
    count_of("ipv6-neighbors", "/ipv6/neighbor/print", "", take_neighbors),
};

}  // namespace

std::span<const TierMenu> service_menus() {
  return kMenus;
}

}  // namespace mikroscope::routeros
