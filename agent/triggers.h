// Conditions on the samples. One table drives the parser, its error text, -help and the documentation.
// Everything is integer arithmetic: thresholds are scaled by 10^kThresholdDecimals.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/format.h"
#include "base/names.h"
#include "proc/delta.h"

namespace mikroscope::agent {

// The columns of the table cpu that make a core busy (base/names.h).
constexpr char kBusyModes[] = "user\0nice\0system\0irq\0softirq\0steal\0";
constexpr std::size_t kBusyModeCount = base::name_count(kBusyModes);

constexpr std::string_view kDefaultTriggers = "softnet-drop,oom,kmsg<=3,reset,irq-err,flash-bad";
constexpr int kThresholdDecimals = 4;
constexpr std::int64_t kThresholdScale = 10000;
constexpr std::uint32_t kMaxTriggers = 16;

enum class Condition : std::uint8_t {
  busy,
  slip,
  memfall,
  kmsg,
  softnet_drop,
  squeeze,
  oom,
  reset,
  irq_err,
  flash_bad
};

struct ConditionDef {
  [[no_unique_address]] proc::TableText name;
  Condition condition;
  [[no_unique_address]] proc::TableText comparison;  // ">=" or "<="; empty: takes no threshold
  [[no_unique_address]] proc::TableText unit;        // what the threshold counts, for help
  std::int32_t low;                                  // scaled
  std::int32_t high;
  bool whole;  // no decimals
  [[no_unique_address]] proc::HelpText help;
};
std::span<const ConditionDef> all_conditions();

struct Trigger {
  const ConditionDef* def = nullptr;
  std::string_view text;         // as configured, e.g. busy>=0.95
  std::int64_t threshold = 0;    // scaled
  std::uint64_t last_fired = 0;  // seq, 0: never
  std::uint64_t fired = 0;
  std::uint64_t suppressed = 0;  // within TRIGGER_REFRACTORY_S
};

struct TriggerSet {
  Trigger items[kMaxTriggers];
  std::uint32_t count = 0;
  std::span<Trigger> all() { return {items, count}; }
  std::span<const Trigger> all() const { return {items, count}; }
  bool has(Condition condition) const;
};
// "none" is the empty set. The texts stay views of `list`.
bool parse_triggers(std::string_view list, TriggerSet& out, base::Writer& error);

// What made a condition true: the first core, queue or device that met it.
struct Cause {
  std::string_view condition;  // as configured; empty for a manual capture
  char field[128] = {};        // e.g. cpu[2].busy_ratio; of a manual capture its reason
  std::uint8_t field_size = 0;
  std::int64_t value = 0;  // scaled like the threshold
  std::int64_t threshold = 0;
  std::uint64_t seq = 0;
  std::int64_t boot_ns = 0;
  std::int64_t wall_ns = 0;
  std::string_view field_text() const { return {field, field_size}; }
};

// A scaled value as a plain decimal without needless zeroes.
void put_scaled(std::int64_t value, base::Writer& out);
// {"trigger":{…}} without '\n': what pullers see, placed before sample cause.seq. `refused`: why no capture
// was begun.
void write_trigger(std::uint64_t id, const Cause& cause, std::string_view refused, base::Writer& out);

// Facts of a tick that no table holds.
struct TickFacts {
  std::int64_t period_ns = 0;
  int least_log_level = 8;  // of the kernel log records read in this tick; 8: none
};

// Knows where in a layout the conditions look.
class TriggerEye {
 public:
  TriggerEye() = default;
  explicit TriggerEye(const proc::Layout& layout);
  // True: the condition holds in this frame; field, value and threshold of `out` are set.
  bool holds(const Trigger& trigger, const proc::FrameView& frame, const TickFacts& facts, Cause& out) const;

 private:
  struct Column {
    std::uint32_t table = 0;
    std::uint32_t column = 0;
    bool found = false;
    explicit operator bool() const { return found; }
  };
  static Column find(const proc::Layout& layout, std::string_view table, std::string_view column);
  bool busy(const Trigger& trigger, const proc::FrameView& frame, Cause& out) const;
  bool counted(const Column& where, const proc::FrameView& frame, Cause& out) const;
  bool irq_error(const proc::FrameView& frame, Cause& out) const;
  static bool any_reset(const proc::FrameView& frame, Cause& out);

  Column busy_[kBusyModeCount];
  Column available_;
  Column dropped_;
  Column squeeze_;
  Column oom_;
  Column irq_err_;
  Column bad_blocks_;
};

}  // namespace mikroscope::agent
