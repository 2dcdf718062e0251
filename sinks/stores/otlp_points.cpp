#include "sinks/stores/otlp_points.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

namespace mikroscope::sinks {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStaleNs = 30 * kSecond;
// A clock that was set moves the boot; one that is disciplined does not.
constexpr std::int64_t kClockStep = 10 * kSecond;

}  // namespace

OtlpPoints::OtlpPoints(bool delta) : delta_(delta), table_(Naming::otlp, "host.name", kStaleNs, delta) {}

void OtlpPoints::learn_boot(const model::Event& event) {
  if (event.boot_ns <= 0) return;
  Boot& boot = boots_[event.origin->host];
  // Whole seconds: mostly the same again after a restart of the collector.
  const std::int64_t start = (event.wall_ns - event.boot_ns) / kSecond * kSecond;
  const bool other = !event.origin->boot_id.empty() && boot.id != event.origin->boot_id;
  if (boot.start_ns != 0 && !other && std::abs(start - boot.start_ns) <= kClockStep) return;
  boot.start_ns = start;
  boot.id = event.origin->boot_id;
}

// False: nothing to send yet.
bool OtlpPoints::finish(Series& series, const Reading& reading, const model::Event& event, std::size_t table,
                        OtlpPoint& point) const {
  Series::State& state = series.state;
  const Series::State was = state;
  state = {true, reading.value, event.wall_ns, was.began_ns};
  if (series.metric->from == From::level || series.metric->from == From::info) return true;
  const std::int64_t covered = std::max<std::int64_t>(event.interval_ns(table), 1'000'000);
  const std::int64_t before = was.known ? was.last_ns : event.wall_ns - covered;
  if (series.metric->from == From::running) {
    const bool over = was.known && reading.value < was.last;
    if (over) state.began_ns = was.last_ns;
    if (delta_) {
      if (!was.known) return false;
      point.value = reading.value;
      if (!over)
        point.value = reading.value.whole && was.last.whole
                          ? Number::of(reading.value.integer - was.last.integer)
                          : Number::of(reading.value.as_double() - was.last.as_double());
      point.start_ns = was.last_ns;
      return true;
    }
  } else if (delta_) {
    point.start_ns = series.metric->from == From::total ? event.wall_ns - covered : before;
    return true;
  } else if (reading.adds && !was.known) {
    state.began_ns = before;  // added up from here on
  }
  const auto boot = boots_.find(event.origin->host);
  const std::int64_t boot_ns = boot == boots_.end() ? 0 : boot->second.start_ns;
  if (state.began_ns == 0 && boot_ns == 0) state.began_ns = before;
  point.start_ns = std::max(state.began_ns, boot_ns);
  if (point.start_ns > event.wall_ns) point.start_ns = event.wall_ns;
  return true;
}

OtlpMetric& OtlpPoints::metric_of(std::map<std::string, OtlpMetric>& metrics, const Metric& of) const {
  OtlpMetric& metric = metrics[of.name];
  if (!metric.name.empty()) return metric;
  metric.name = of.name;
  metric.unit = of.unit;
  metric.help = valid_text(of.help);
  metric.kind = !of.counter() ? OtlpKind::gauge : delta_ ? OtlpKind::delta : OtlpKind::cumulative;
  return metric;
}

OtlpMetrics OtlpPoints::take(std::span<const model::Event> events) {
  // By host and name; names sorted.
  std::map<std::string, std::map<std::string, OtlpMetric>> hosts;
  std::unordered_set<std::uint32_t> reset;
  ++batch_;
  for (const model::Event& event : events) {
    if (!event.shape || !event.origin || event.wall_ns <= 0) continue;
    learn_boot(event);
    reset.clear();
    for (const model::OddCell& odd : event.odd) {
      if (odd.kind == proc::DeltaKind::reset) reset.insert(odd.slot);
    }
    auto& metrics = hosts[event.origin->host];
    if (!reset.empty()) {
      // The cell is absent now; the next total counts from here.
      const std::int64_t from = event.wall_ns - std::max<std::int64_t>(event.dt_ns, 0);
      table_.at_slots(event, reset, [&](Series& series) {
        if (series.metric->from == From::total) series.state.began_ns = from;
      });
    }
    table_.take(event, [&](Series& series, const Reading& reading, std::size_t table) {
      series.attributes.labels = &series.labels;
      OtlpPoint point{&series.attributes, 0, event.wall_ns, reading.value};
      if (!finish(series, reading, event, table, point)) return;
      if (series.batch != batch_) {
        series.batch = batch_;
        series.out = &metric_of(metrics, *series.metric);
      }
      series.out->points.push_back(point);
    });
  }
  OtlpMetrics out;
  for (auto& [host, metrics] : hosts) {
    if (metrics.empty()) continue;
    out.push_back({valid_text(host), {}});
    for (auto& [name, metric] : metrics) out.back().items.push_back(std::move(metric));
  }
  return out;
}

void OtlpPoints::commit() {
  table_.commit();
  table_.sweep([](Series&, std::int64_t) {});
}

}  // namespace mikroscope::sinks
