// What a scrape of the collector says: the newest value of every series, counters as running totals.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>

#include "model/event.h"
#include "sinks/stores/exposition_text.h"
#include "sinks/stores/exposition_windows.h"
#include "sinks/stores/families_series.h"

namespace mikroscope::sinks {

// Not for several threads at once.
class Exposition {
 public:
  // A host, or a row that its measurement's newer readings leave out, is gone after `stale_ns`.
  // `clock`: monotonic ns.
  Exposition(std::int64_t stale_ns, std::function<std::int64_t()> clock);

  void take(std::span<const model::Event> events);
  std::string render(TextFormat format);

 private:
  enum Tier : std::uint8_t { kAgent, kApi, kCollector, kTiers };
  static Tier tier_of(model::EventKind kind);

  struct Series : SeriesBase {
    Number value;
    std::string text;  // of its labels
  };
  struct Host {
    std::int64_t sample_at_ns = 0;                // when the newest sample came; 0: never
    std::array<std::int64_t, kTiers> at_ns = {};  // when anything of the tier came
    std::int64_t wall_ns = 0;                     // the newest sample's own time
    std::map<std::string, std::int64_t> sources;  // measurement to the time of its newest reading
    SampleWindows windows;
  };
  void drop_stale(std::int64_t now_ns);
  void add_health(std::int64_t now_ns, TextFamilies& to) const;

  std::int64_t stale_ns_;
  std::function<std::int64_t()> clock_;
  SeriesTable<Series> table_;
  std::map<std::string, Host> hosts_;
  std::int64_t swept_ns_ = 0;
};

}  // namespace mikroscope::sinks
