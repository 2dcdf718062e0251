// Whether a core was handed packets faster than it could take them, although they were no more than usual.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "sinks/derive/columns.h"

namespace mikroscope::sinks {

// Per core, against the last 10 s of the machine's own clock before the sample: the core processed no more
// than the median, and yet it dropped packets, or ran out of budget at least kSqueezes times and more often
// than in 9 of 10 samples. Compared are rates, so that uneven intervals do not matter.
class BurstWatch {
 public:
  enum class Verdict : std::uint8_t {
    absent,   // the core tells nothing: it is off, or this is its first sample
    unknown,  // fewer than kLeast samples to compare with
    no,
    yes,
  };
  static constexpr std::int64_t kWindowNs = 10'000'000'000;
  static constexpr std::size_t kLeast = 10;
  static constexpr std::size_t kMost = 2000;
  static constexpr std::int64_t kSqueezes = 3;

  BurstWatch();
  // One verdict for each row of softnet; empty where the sample has none.
  const std::vector<Verdict>& see(const model::Event& sample);
  const std::string& cpu(std::size_t row) const { return softnet_.keys(row)[0]; }
  void forget();

 private:
  struct Entry {
    std::int64_t boot_ns;
    double processed;  // per second
    double squeezed;   // per second
  };
  using History = std::deque<Entry>;
  bool is_burst(const History& history, const Entry& now, std::int64_t dropped, std::int64_t squeezes);

  Columns softnet_;
  std::map<std::string, History> histories_;
  std::vector<History*> of_row_;
  std::vector<Verdict> verdicts_;
  std::vector<double> scratch_;
};

}  // namespace mikroscope::sinks
