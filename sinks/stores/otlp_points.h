// Events to metrics and logs of OTLP.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "model/event.h"
#include "sinks/stores/families_series.h"
#include "sinks/stores/otlp_model.h"

namespace mikroscope::sinks {

// Holds what sums began with. After take(), commit() or roll_back().
class OtlpPoints {
 public:
  explicit OtlpPoints(bool delta);

  // Points refer to series of this object until the next commit().
  OtlpMetrics take(std::span<const model::Event> events);
  void commit();
  void roll_back() { table_.roll_back(); }

 private:
  struct Series : SeriesBase {
    struct State {
      bool known = false;
      Number last;                // of a running total
      std::int64_t last_ns = 0;   // time of the last point
      std::int64_t began_ns = 0;  // 0: with the router
    };
    State state, before;
    OtlpAttributes attributes;
    std::uint64_t batch = 0;    // that `out` is of
    OtlpMetric* out = nullptr;  // its metric in what take() makes
    void keep() {
      SeriesBase::keep();
      before = state;
    }
    void restore() {
      SeriesBase::restore();
      state = before;
    }
  };
  struct Boot {
    std::string id;
    std::int64_t start_ns = 0;
  };
  OtlpMetric& metric_of(std::map<std::string, OtlpMetric>& metrics, const Metric& of) const;
  void learn_boot(const model::Event& event);
  bool finish(Series& series, const Reading& reading, const model::Event& event, std::size_t table,
              OtlpPoint& point) const;

  bool delta_;
  std::uint64_t batch_ = 0;
  SeriesTable<Series> table_;
  std::map<std::string, Boot> boots_;  // by host
};

// Of measurements that are logs; repeated events are none.
OtlpLogs otlp_logs(std::span<const model::Event> events);

}  // namespace mikroscope::sinks
