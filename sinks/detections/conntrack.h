// The connection table, as tick samples have it.
#pragma once

#include <cstdint>
#include <optional>

#include "sinks/derive/columns.h"

namespace mikroscope::sinks {

class Conntrack {
 public:
  // Whether this sample has a reading.
  bool see(const model::Event& event) {
    active_.reset();
    if (event.kind != model::EventKind::sample || !slab_.in(event)) return false;
    if (slab_.changed()) {
      row_ = -1;
      for (std::size_t row = 0; row < slab_.rows(); ++row) {
        if (slab_.keys(row)[0] == "nf_conntrack") row_ = static_cast<int>(row);
      }
    }
    if (row_ < 0) return false;
    active_ = slab_.integer(event, static_cast<std::size_t>(row_), 0);
    // The limit is told less often than it is needed.
    if (const auto limit = slab_.integer(event, static_cast<std::size_t>(row_), 1)) limit_ = limit;
    return active_.has_value();
  }
  std::int64_t active() const { return *active_; }
  std::optional<std::int64_t> limit() const { return limit_; }

 private:
  Columns slab_{"slab", {"active", "limit"}};
  int row_ = -1;
  std::optional<std::int64_t> active_;
  std::optional<std::int64_t> limit_;
};

}  // namespace mikroscope::sinks
