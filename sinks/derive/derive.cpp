#include "sinks/derive/derive.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "sinks/derive/burst.h"
#include "sinks/derive/columns.h"

namespace mikroscope::sinks {
namespace {

using model::Event;
using model::Field;
using model::Kind;
using model::Type;
using proc::Unit;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The fields of the measurement, in its order.
enum : std::size_t { kPressure, kBurst, kSuspect, kCycles, kInstructions, kMisses, kPerIrq };
enum : std::size_t { kOomKill, kAllocstall, kSwapOut, kScanDirect, kScanKswapd };  // of vm
enum : std::size_t { kCount, kEnabled, kRunning };                                 // of perf

struct Counter {
  std::string_view name;
  std::size_t field;
  std::vector<std::size_t> rows;  // of perf, one for each row of softnet; kNone: that core has none
};

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool names_a_timer(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower.find("timer") != std::string::npos;
}

}  // namespace

struct Derive::Impl {
  Columns vm{"vm", {"oom_kill", "allocstall", "pswpout", "pgscan_direct", "pgscan_kswapd"}};
  Columns softnet{"softnet", {"processed"}};
  Columns perf{"perf", {"count", "enabled_ns", "running_ns"}};
  Columns irq{"irq", {"count"}};
  Columns out{"derived",
              {"mem_pressure", "burst", "suspect", "cycles_per_packet", "instructions_per_packet",
               "cache_misses_per_packet", "packets_per_irq"}};
  BurstWatch bursts;
  std::array<Counter, 3> counters{
      {{"cycles", kCycles, {}}, {"instructions", kInstructions, {}}, {"cache-misses", kMisses, {}}}};
  std::vector<std::size_t> device_irqs;  // rows of irq

  void set(Event& sample, std::size_t field, std::int64_t value) const {
    const auto slot = out.slot(0, field);
    if (!slot) return;
    sample.present[*slot] = 1;
    sample.values[*slot] = value;
  }
  void set_real(Event& sample, std::size_t field, double value) const {
    if (std::isfinite(value)) set(sample, field, std::bit_cast<std::int64_t>(value));
  }

  void learn(bool has_perf, bool has_irq) {
    for (Counter& counter : counters) {
      counter.rows.clear();
      for (std::size_t s = 0; has_perf && s < softnet.rows(); ++s) {
        std::size_t found = kNone;
        for (std::size_t p = 0; p < perf.rows(); ++p) {
          if (perf.keys(p)[0] == counter.name && perf.keys(p)[1] == softnet.keys(s)[0]) found = p;
        }
        counter.rows.push_back(found);
      }
    }
    device_irqs.clear();
    // Lines with a name instead of a number are the kernel's own: IPIs, local timers.
    for (std::size_t row = 0; has_irq && row < irq.rows(); ++row) {
      if (is_number(irq.keys(row)[0]) && !names_a_timer(irq.keys(row)[1])) device_irqs.push_back(row);
    }
  }

  // 4 something was killed, 3 tasks waited for memory or it went to swap, 2 tasks reclaimed, 1 kswapd did,
  // 0 nothing of it. Kernels without swap or before 4.13 lack some of these.
  std::optional<std::int64_t> pressure(const Event& sample) {
    if (!vm.in(sample)) return std::nullopt;
    const auto grew = [&](std::size_t field) { return vm.integer(sample, 0, field).value_or(0) > 0; };
    if (grew(kOomKill)) return 4;
    if (grew(kAllocstall) || grew(kSwapOut)) return 3;
    if (grew(kScanDirect)) return 2;
    if (!vm.has(sample, 0, kScanDirect) || !vm.has(sample, 0, kScanKswapd)) return std::nullopt;
    return grew(kScanKswapd) ? 1 : 0;
  }

  // Summed over the cores that took packets; nullopt where one of them is not counted. Where counters take
  // turns the count is of a part of the time.
  std::optional<double> counted(const Event& sample, const Counter& counter) const {
    double sum = 0;
    for (std::size_t s = 0; s < softnet.rows(); ++s) {
      if (!softnet.has(sample, s, 0)) continue;
      if (s >= counter.rows.size() || counter.rows[s] == kNone) return std::nullopt;
      const std::size_t row = counter.rows[s];
      const auto count = perf.integer(sample, row, kCount);
      if (!count) return std::nullopt;
      double value = static_cast<double>(*count);
      const auto enabled = perf.integer(sample, row, kEnabled);
      const auto running = perf.integer(sample, row, kRunning);
      if (enabled && running && *enabled > *running) {
        if (*running <= 0) return std::nullopt;
        value *= static_cast<double>(*enabled) / static_cast<double>(*running);
      }
      sum += value;
    }
    return sum;
  }

  void ratios(Event& sample) {
    const bool has_softnet = softnet.in(sample);
    const bool has_perf = perf.in(sample);
    const bool has_irq = irq.in(sample);
    if (softnet.changed() || perf.changed() || irq.changed()) learn(has_perf, has_irq);
    if (!has_softnet) return;
    std::int64_t packets = 0;
    for (std::size_t row = 0; row < softnet.rows(); ++row)
      packets += softnet.integer(sample, row, 0).value_or(0);
    if (packets <= 0) return;
    const std::int64_t interval_ns = softnet.interval_ns(sample);
    // Readings of another cadence cover other packets.
    if (has_perf && perf.interval_ns(sample) == interval_ns) {
      for (const Counter& counter : counters) {
        if (const auto sum = counted(sample, counter))
          set_real(sample, counter.field, *sum / static_cast<double>(packets));
      }
    }
    if (!has_irq || irq.interval_ns(sample) != interval_ns) return;
    std::int64_t interrupts = 0;
    for (const std::size_t row : device_irqs) interrupts += irq.integer(sample, row, 0).value_or(0);
    if (interrupts > 0)
      set_real(sample, kPerIrq, static_cast<double>(packets) / static_cast<double>(interrupts));
  }
};

Derive::Derive() : impl_(std::make_unique<Impl>()) {}
Derive::~Derive() = default;
Derive::Derive(Derive&&) noexcept = default;
Derive& Derive::operator=(Derive&&) noexcept = default;

const model::MeasurementPtr& Derive::measurement() {
  static const model::MeasurementPtr m = [] {
    const auto field = [](std::string name, Type type, std::string help, Unit unit = Unit::none) {
      return Field{std::move(name), Kind::level, type, unit, 0, true, std::move(help), {}};
    };
    model::Measurement d;
    d.name = "derived";
    d.help = "what the collector computes from each sample and the ones before it";
    d.fields = {
        field("mem_pressure", Type::integer,
              "0 none, 1 kswapd scans, 2 tasks reclaim, 3 allocations stall or memory goes to swap, 4 a "
              "process was killed"),
        field("burst", Type::boolean,
              "some core dropped packets or ran out of budget while it processed no more than usual"),
        field("suspect", Type::boolean, "a counter started over within this sample"),
        field("cycles_per_packet", Type::real, "clock cycles of all cores / packets", Unit::none),
        field("instructions_per_packet", Type::real, "instructions of all cores / packets", Unit::none),
        field("cache_misses_per_packet", Type::real, "cache misses of all cores / packets", Unit::none),
        field("packets_per_irq", Type::real, "packets / interrupts of devices, timers left out", Unit::none)};
    return std::make_shared<const model::Measurement>(std::move(d));
  }();
  return m;
}

void Derive::fill(Event& sample) {
  Impl& i = *impl_;
  if (!i.out.in(sample) || i.out.rows() == 0) return;
  const bool suspect = std::any_of(sample.odd.begin(), sample.odd.end(), [](const model::OddCell& odd) {
    return odd.kind == proc::DeltaKind::reset;
  });
  i.set(sample, kSuspect, suspect ? 1 : 0);
  if (const auto level = i.pressure(sample)) i.set(sample, kPressure, *level);
  bool known = false;
  bool burst = false;
  for (const BurstWatch::Verdict verdict : i.bursts.see(sample)) {
    known = known || verdict >= BurstWatch::Verdict::no;
    burst = burst || verdict == BurstWatch::Verdict::yes;
  }
  if (known) i.set(sample, kBurst, burst ? 1 : 0);
  if (!suspect) i.ratios(sample);
}

void Derive::forget() {
  impl_->bursts.forget();
}

}  // namespace mikroscope::sinks
