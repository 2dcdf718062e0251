#include "routeros/tier/measurements.h"

#include <algorithm>

namespace mikroscope::routeros {
namespace {

using model::Field;
using model::Key;
using model::Kind;
using model::Measurement;
using model::MeasurementPtr;
using model::Type;
using proc::Unit;

Field level(std::string name, Unit unit, std::string help) {
  return {std::move(name), Kind::level, Type::integer, unit, 0, false, std::move(help), {}};
}
Field running(std::string name, Unit unit, std::string help) {
  return {std::move(name), Kind::running, Type::integer, unit, 0, false, std::move(help), {}};
}
Field grown(std::string name, std::string help) {
  return {std::move(name), Kind::delta, Type::integer, Unit::bytes, 0, true, std::move(help), {}};
}
Field share(std::string name, std::string help) {
  return {std::move(name), Kind::level, Type::real, Unit::ratio, 0, true, std::move(help), {}};
}
Field of_type(Type type, std::string name, std::string help) {
  return {std::move(name), Kind::level, type, Unit::none, 0, false, std::move(help), {}};
}
Key key(std::string name, std::string help, bool label = false) {
  return {std::move(name), true, label, std::move(help)};
}

std::vector<Key> interface_keys() {
  return {key("interface", "its name on the router"), key("label", "its comment", true),
          key("type", "ether, bridge, vlan, ...", true), key("role", "the interface lists it is in", true),
          key("bridge", "whose port it is", true)};
}

MeasurementPtr made(std::string name, std::vector<Key> keys, std::vector<Field> fields, std::string help,
                    bool log = false) {
  Measurement m;
  m.name = std::move(name);
  m.keys = std::move(keys);
  m.fields = std::move(fields);
  m.help = std::move(help);
  m.log = log;
  return std::make_shared<const Measurement>(std::move(m));
}

std::string field_name(std::string counter) {
  std::replace(counter.begin(), counter.end(), '-', '_');
  return counter;
}

bool counts_bytes(std::string_view counter) {
  return counter.ends_with("-byte") || counter.ends_with("-bytes");
}

}  // namespace

const MeasurementPtr& api_system() {
  static const MeasurementPtr m =
      made("api_system", {},
           {level("cpu_load", Unit::none, "percent, over about the last second, as the router says it"),
            level("free_memory", Unit::bytes, "memory that is free"),
            level("total_memory", Unit::bytes, "memory of the router"),
            level("free_hdd", Unit::bytes, "free space of the system disk"),
            level("uptime_s", Unit::seconds, "since the router booted"),
            of_type(Type::text, "version", "of RouterOS")},
           "/system/resource");
  return m;
}

const MeasurementPtr& api_core() {
  static const MeasurementPtr m =
      made("api_core", {{"cpu", false, false, "the core's number"}},
           {level("load", Unit::none, "percent"), level("irq", Unit::none, "percent spent in interrupts"),
            level("disk", Unit::none, "percent spent waiting for disks")},
           "/system/resource/cpu");
  return m;
}

const MeasurementPtr& api_health() {
  static const MeasurementPtr m =
      made("api_health", {key("name", "cpu-temperature, voltage, fan1-speed, ...")},
           {of_type(Type::real, "value", "in the unit that the router means: C, V, A, W, RPM")},
           "/system/health: what the board measures");
  return m;
}

const MeasurementPtr& api_iface() {
  static const MeasurementPtr m = made(
      "api_iface", interface_keys(),
      {level("rx_bps", Unit::none, "bits received per second"),
       level("tx_bps", Unit::none, "bits sent per second"),
       level("rx_pps", Unit::packets, "packets received per second"),
       level("tx_pps", Unit::packets, "packets sent per second"),
       level("rx_drops", Unit::packets, "received and dropped per second"),
       level("tx_drops", Unit::packets, "dropped before sending, per second"),
       level("tx_queue_drops", Unit::packets, "dropped by the queue, per second"),
       level("rx_errors", Unit::packets, "received with errors, per second"),
       level("tx_errors", Unit::packets, "failed to send, per second")},
      "/interface/monitor-traffic: rates of the chosen interfaces. A port counts the wire, a bridge what "
      "its CPU sees: they do not add up");
  return m;
}

const MeasurementPtr& api_ifinfo() {
  static const MeasurementPtr m =
      made("api_ifinfo", interface_keys(),
           {of_type(Type::text, "default_name", "of a port: its name from the factory"),
            level("mtu", Unit::bytes, "the actual MTU"), of_type(Type::boolean, "running", "it has a link"),
            of_type(Type::boolean, "disabled", "it is switched off")},
           "/interface: what the interfaces are");
  return m;
}

MeasurementPtr api_ifcounters(const std::vector<std::string>& counters) {
  Measurement m;
  m.name = "api_ifcounters";
  m.keys = interface_keys();
  m.help =
      "/interface and /interface/ethernet: counters of every interface, which ones differs between kinds of "
      "interface and boards";
  m.long_form = model::LongForm{"api_ifcounter", "counter", "value"};
  for (const std::string& counter : counters) {
    Field field = running(field_name(counter), counts_bytes(counter) ? Unit::bytes : Unit::none,
                          "the router's " + counter);
    if (field.name != counter) field.sql_name = counter;
    m.fields.push_back(std::move(field));
  }
  return std::make_shared<const Measurement>(std::move(m));
}

const MeasurementPtr& api_conntrack() {
  static const MeasurementPtr m =
      made("api_conntrack", {}, {level("entries", Unit::none, "connections that are tracked")},
           "/ip/firewall/connection");
  return m;
}

const MeasurementPtr& api_queue() {
  static const MeasurementPtr m = made(
      "api_queue",
      {key("kind", "simple or tree"), key("queue", "its name"),
       key("parent", "the queue or interface it belongs to", true), key("target", "of a simple queue", true)},
      {running("bytes_up", Unit::bytes, "of a simple queue: from the target"),
       running("bytes_down", Unit::bytes, "of a simple queue: to the target"),
       running("packets_up", Unit::packets, "from the target"),
       running("packets_down", Unit::packets, "to the target"),
       running("dropped_up", Unit::packets, "from the target"),
       running("dropped_down", Unit::packets, "to the target"),
       level("rate_up", Unit::none, "bits per second"), level("rate_down", Unit::none, "bits per second"),
       level("queued_bytes_up", Unit::bytes, "waiting, from the target"),
       level("queued_bytes_down", Unit::bytes, "waiting, to the target"),
       level("queued_packets_up", Unit::packets, "waiting, from the target"),
       level("queued_packets_down", Unit::packets, "waiting, to the target"),
       running("bytes", Unit::bytes, "of a queue of the tree"),
       running("packets", Unit::packets, "of a queue of the tree"),
       running("dropped", Unit::packets, "of a queue of the tree"),
       level("rate", Unit::none, "bits per second"),
       level("queued_bytes", Unit::bytes, "waiting in a queue of the tree"),
       level("queued_packets", Unit::packets, "waiting in a queue of the tree")},
      "/queue/simple and /queue/tree, but for the queues that the router makes by itself");
  return m;
}

const MeasurementPtr& api_firewall() {
  static const MeasurementPtr m = made(
      "api_firewall",
      {key("table", "filter, nat, mangle or raw"), key("chain", "input, forward, srcnat, ..."),
       key("comment", "of the rule")},
      {running("bytes", Unit::bytes, "that the rule matched"),
       running("packets", Unit::packets, "that the rule matched")},
      "/ip/firewall: counters of the rules that have a comment. Rules of one chain with the same comment "
      "are summed");
  return m;
}

const MeasurementPtr& api_ppp() {
  static const MeasurementPtr m = made("api_ppp", {key("service", "pppoe, l2tp, ovpn, ...; all: their sum")},
                                       {level("active", Unit::none, "sessions")}, "/ppp/active");
  return m;
}

const MeasurementPtr& api_dhcp() {
  static const MeasurementPtr m =
      made("api_dhcp", {}, {level("bound", Unit::none, "leases that are bound")}, "/ip/dhcp-server/lease");
  return m;
}

const MeasurementPtr& api_hotspot() {
  static const MeasurementPtr m =
      made("api_hotspot", {}, {level("active", Unit::none, "users logged in")}, "/ip/hotspot/active");
  return m;
}

const MeasurementPtr& api_wireless() {
  static const MeasurementPtr m =
      made("api_wireless",
           {key("system", "wifi, wifiwave2, wireless or capsman"),
            key("interface", "the radio or network that clients are registered at")},
           {level("clients", Unit::none, "registered")}, "registration tables of wireless interfaces");
  return m;
}

const MeasurementPtr& api_routes() {
  static const MeasurementPtr m = made("api_routes", {key("family", "ipv4")},
                                       {level("routes", Unit::none, "in all tables")}, "/ip/route");
  return m;
}

const MeasurementPtr& api_neighbors() {
  static const MeasurementPtr m = made("api_neighbors", {key("family", "ipv6")},
                                       {level("entries", Unit::none, "known neighbours")}, "/ipv6/neighbor");
  return m;
}

const MeasurementPtr& api_error() {
  static const MeasurementPtr m = made(
      "api_error", {key("command", "what was asked: resource, health, monitor-traffic, ..., connection")},
      {of_type(Type::text, "message", "what came back")},
      "requests of the API tier that failed; what they would have brought is absent", true);
  return m;
}

const MeasurementPtr& derived_iface() {
  static const MeasurementPtr m =
      made("derived_iface", {key("interface", "its name on the router")},
           {grown("rx_bytes", "received, as the driver counts it"),
            grown("fp_rx_bytes", "of these by the fast path"), grown("tx_bytes", "sent"),
            grown("fp_tx_bytes", "of these by the fast path"),
            share("fp_rx_share", "fp_rx_bytes / rx_bytes, at most 1"),
            share("fp_tx_share", "fp_tx_bytes / tx_bytes, at most 1")},
           "what interfaces moved between two readings of their counters, and the fast path's part of it");
  return m;
}

std::vector<MeasurementPtr> api_measurements() {
  static const std::vector<std::string> kCounters = {
      "driver-rx-byte",    "driver-rx-packet", "driver-tx-byte",
      "driver-tx-packet",  "fp-rx-byte",       "fp-rx-packet",
      "fp-tx-byte",        "fp-tx-packet",     "link-downs",
      "rx-broadcast",      "rx-byte",          "rx-bytes",
      "rx-drop",           "rx-error",         "rx-fcs-error",
      "rx-fragment",       "rx-jabber",        "rx-multicast",
      "rx-overflow",       "rx-packet",        "rx-pause",
      "rx-too-long",       "rx-too-short",     "rx-unicast",
      "tx-broadcast",      "tx-byte",          "tx-bytes",
      "tx-collision",      "tx-deferred",      "tx-drop",
      "tx-error",          "tx-fcs-error",     "tx-excessive-collision",
      "tx-late-collision", "tx-multicast",     "tx-packet",
      "tx-pause",          "tx-queue-drop",    "tx-rx-1024-max",
      "tx-rx-128-255",     "tx-rx-256-511",    "tx-rx-512-1023",
      "tx-rx-64",          "tx-rx-65-127",     "tx-unicast"};
  return {api_system(), api_core(),      api_health(),   api_iface(),    api_ifcounters(kCounters),
          api_ifinfo(), api_conntrack(), api_queue(),    api_firewall(), api_ppp(),
          api_dhcp(),   api_hotspot(),   api_wireless(), api_routes(),   api_neighbors(),
          api_error(),  derived_iface()};
}

}  // namespace mikroscope::routeros
