#include "sinks/stores/exposition.h"

#include "base/clock.h"

namespace mikroscope::sinks {
namespace {

Labels host_labels(const std::string& host) {
  return {{"host", valid_text(host)}};
}

Number seconds(std::int64_t ns) {
  return Number::of(static_cast<double>(ns / 1'000'000) / 1000);
}

}  // namespace

Exposition::Exposition(std::int64_t stale_ns, std::function<std::int64_t()> clock)
    : stale_ns_(stale_ns), clock_(std::move(clock)), table_(Naming::prometheus, "host", stale_ns) {}

Exposition::Tier Exposition::tier_of(model::EventKind kind) {
  switch (kind) {
    case model::EventKind::api:
      return kApi;
    case model::EventKind::collector:
    case model::EventKind::detection:
    case model::EventKind::gap:
      return kCollector;
    default:
      return kAgent;
  }
}

void Exposition::take(std::span<const model::Event> events) {
  const std::int64_t now = clock_();
  for (const model::Event& event : events) {
    if (!event.shape || !event.origin) continue;
    Host& host = hosts_[event.origin->host];
    host.at_ns[tier_of(event.kind)] = now;
    const bool sample = event.kind == model::EventKind::sample;
    if (sample) {
      host.sample_at_ns = now;
      host.wall_ns = event.wall_ns;
      host.windows.take(event);
    }
    std::size_t last = SIZE_MAX;
    table_.take(event, [&](Series& series, const Reading& reading, std::size_t table) {
      series.value = reading.value;
      if (!sample || table == last) return;
      last = table;
      const model::Measurement& measurement = *event.shape->tables()[table].measurement;
      if (!measurement.wire_table.empty()) host.sources[measurement.name] = event.wall_ns;
    });
  }
  table_.commit();
  if (now - swept_ns_ < base::kNsPerSecond) return;
  swept_ns_ = now;
  table_.sweep([](Series&, std::int64_t) {});
}

void Exposition::drop_stale(std::int64_t now_ns) {
  for (auto& [name, host] : hosts_) {
    std::array<bool, kTiers> gone{};
    for (std::size_t tier = 0; tier < kTiers; ++tier)
      gone[tier] = host.at_ns[tier] == 0 || now_ns - host.at_ns[tier] > stale_ns_;
    gone[kAgent] = gone[kAgent] || (host.sample_at_ns != 0 && now_ns - host.sample_at_ns > stale_ns_);
    gone[kCollector] = false;  // few, and what they say of a host is true without it
    if (gone[kAgent]) {
      host.sources.clear();
      host.windows = SampleWindows();
    }
    if (gone[kAgent] || gone[kApi])
      table_.remove(name, [&](const Series& s) { return !s.metric->lasting() && gone[tier_of(s.kind)]; });
  }
}

void Exposition::add_health(std::int64_t now_ns, TextFamilies& to) const {
  using Type = TextFamilies::Type;
  for (const auto& [name, host] : hosts_) {
    if (host.at_ns[kAgent] == 0 && host.at_ns[kApi] == 0) continue;  // the collector itself
    const std::string labels = label_text(host_labels(name));
    const bool up = host.sample_at_ns != 0 && now_ns - host.sample_at_ns <= stale_ns_;
    to.add("mikroscope_up", Type::gauge, "samples of the router arrive", labels,
           Number::of(std::int64_t{up ? 1 : 0}));
    if (host.at_ns[kApi] != 0) {
      const bool api = now_ns - host.at_ns[kApi] <= stale_ns_;
      to.add("mikroscope_api_up", Type::gauge, "the RouterOS API answers", labels,
             Number::of(std::int64_t{api ? 1 : 0}));
    }
    if (host.sample_at_ns == 0) continue;
    to.add("mikroscope_last_sample_age_seconds", Type::gauge, "since the newest sample arrived", labels,
           seconds(now_ns - host.sample_at_ns));
    to.add("mikroscope_last_sample_timestamp_seconds", Type::gauge,
           "the newest sample's own time, by the router's clock", labels, seconds(host.wall_ns));
    for (const auto& [source, wall_ns] : host.sources) {
      Labels with = host_labels(name);
      with.emplace_back("source", source);
      to.add("mikroscope_source_age_seconds", Type::gauge,
             "what the newest sample adds to the age of this table's values: tables that rarely change are "
             "read or sent less often",
             label_text(with), seconds(host.wall_ns - wall_ns));
    }
    host.windows.render(name, to);
  }
}

std::string Exposition::render(TextFormat format) {
  const std::int64_t now = clock_();
  drop_stale(now);
  TextFamilies families;
  table_.each([&](Series& series) {
    if (series.text.empty()) series.text = label_text(series.labels);
    families.add(series.metric->name,
                 series.metric->counter() ? TextFamilies::Type::counter : TextFamilies::Type::gauge,
                 series.metric->help, series.text, series.value);
  });
  add_health(now, families);
  return families.render(format);
}

}  // namespace mikroscope::sinks
