// What the last 30 s of samples looked like: the first question after a restart.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sinks/derive/columns.h"

namespace mikroscope::sinks {

class LeadUp {
 public:
  static constexpr std::int64_t kSpanNs = 30'000'000'000;

  void add(const model::Event& sample, std::int64_t now_ns);
  // Begins with "; ". `now_ns`: of the first sample behind.
  std::string text(std::int64_t now_ns) const;

 private:
  struct Bin {  // about a second
    std::int64_t from_ns = 0;
    std::uint64_t samples = 0;
    double busy = 0;  // sum over cores and samples
    std::uint64_t busy_cells = 0;
    std::vector<double> core_busy;
    std::vector<std::uint32_t> core_samples;
    std::optional<std::int64_t> available_low_kb;
    std::int64_t dropped = 0;
    std::int64_t squeezed = 0;
    std::int64_t killed = 0;
  };
  std::size_t core_index(const std::string& cpu);

  Columns cpu_{"cpu", {"busy_ratio"}};
  Columns mem_{"mem", {"total_kb", "available_kb"}};
  Columns slab_{"slab", {"active", "limit"}};
  Columns softnet_{"softnet", {"dropped", "time_squeeze"}};
  Columns vm_{"vm", {"oom_kill"}};
  std::vector<std::string> cores_;
  std::vector<std::size_t> core_of_row_;
  int conntrack_row_ = -1;
  std::deque<Bin> bins_;
  std::int64_t last_ns_ = 0;
  std::optional<std::int64_t> total_kb_, available_kb_, conntrack_, conntrack_limit_;
};

}  // namespace mikroscope::sinks
