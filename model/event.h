// One thing that happened at one time on one router: what the spool keeps and sinks store.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/shape.h"
#include "proc/delta.h"

namespace mikroscope::model {

enum class EventKind : std::uint8_t {
  sample,     // one tick of the kernel tier, derived values included
  log,        // records of the kernel log
  trigger,    // the agent's trigger fired
  gap,        // samples that are lost, and why
  restart,    // the agent began again
  device,     // what the machine is
  sampler,    // the agent's own report
  api,        // one round of the RouterOS tier
  detection,  // a rule found something
  collector,  // the collector's own report
};
constexpr int kEventKinds = 10;
std::string_view event_kind_name(EventKind kind);

// Whose events these are.
struct Origin {
  std::string host;      // the tag `host` of all stores
  std::string instance;  // of the agent; empty: unknown
  std::string boot_id;   // of the router's kernel; empty: unknown
};
using OriginPtr = std::shared_ptr<const Origin>;

struct OddCell {  // a counter that did not simply grow
  std::uint32_t slot = 0;
  proc::DeltaKind kind = proc::DeltaKind::reset;
};

struct Event {
  EventKind kind = EventKind::sample;
  bool repeat = false;  // says again what an earlier event said: metric stores take it, logs do not
  OriginPtr origin;
  std::int64_t wall_ns = 0;  // the only time stamp: UTC; given once, when the event was made
  std::int64_t boot_ns = 0;  // of the router's CLOCK_BOOTTIME; 0: unknown
  std::int64_t dt_ns = 0;    // what differences cover; 0: nothing
  std::uint64_t seq = 0;     // of the agent's samples; 0: no sample
  ShapePtr shape;
  std::vector<std::int64_t> values;   // slots
  std::vector<std::uint8_t> present;  // slots: 0 or 1
  std::vector<std::uint64_t> totals;  // slots: running totals of `delta` fields; empty: unknown
  std::vector<std::int64_t>
      intervals_ns;  // tables: where differences cover another span than dt_ns; or empty
  std::vector<OddCell> odd;
  std::vector<std::string> texts;

  bool has(std::uint32_t slot) const { return present[slot] != 0; }
  std::int64_t integer(std::uint32_t slot) const { return values[slot]; }
  double real(std::uint32_t slot) const { return std::bit_cast<double>(values[slot]); }
  std::string_view text(std::uint32_t slot) const { return texts[static_cast<std::size_t>(values[slot])]; }
  std::int64_t interval_ns(std::size_t table) const {
    return table < intervals_ns.size() ? intervals_ns[table] : dt_ns;
  }
};

// The cell as a number, whatever its type; nullopt where it is absent, a text, or not finite.
std::optional<double> number(const Event& event, const Field& field, std::uint32_t slot);

// By names: for rules and tests, not for the path of every frame. `keys` of the row in order, labels may be
// left out at the end.
std::optional<double> find_number(const Event& event, std::string_view measurement,
                                  const std::vector<std::string>& keys, std::string_view field);

}  // namespace mikroscope::model
