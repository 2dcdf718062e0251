#include "sinks/derive/burst.h"

#include <algorithm>

namespace mikroscope::sinks {
namespace {

enum : std::size_t { kProcessed, kDropped, kTimeSqueeze };

}  // namespace

BurstWatch::BurstWatch() : softnet_("softnet", {"processed", "dropped", "time_squeeze"}) {}

void BurstWatch::forget() {
  for (auto& [cpu, history] : histories_) history.clear();
}

bool BurstWatch::is_burst(const History& history, const Entry& now, std::int64_t dropped,
                          std::int64_t squeezes) {
  // Sorting is for the few samples that get this far.
  if (dropped <= 0 && squeezes < kSqueezes) return false;
  scratch_.clear();
  for (const Entry& entry : history) scratch_.push_back(entry.processed);
  std::sort(scratch_.begin(), scratch_.end());
  const std::size_t n = scratch_.size();
  const double median = n % 2 == 1 ? scratch_[n / 2] : (scratch_[n / 2 - 1] + scratch_[n / 2]) / 2;
  if (now.processed > median) return false;
  if (dropped > 0) return true;
  scratch_.clear();
  for (const Entry& entry : history) scratch_.push_back(entry.squeezed);
  const auto p90 = scratch_.begin() + static_cast<std::ptrdiff_t>(n * 9 / 10);
  std::nth_element(scratch_.begin(), p90, scratch_.end());
  return now.squeezed > *p90;
}

const std::vector<BurstWatch::Verdict>& BurstWatch::see(const model::Event& sample) {
  verdicts_.clear();
  if (!softnet_.in(sample)) return verdicts_;
  if (softnet_.changed()) {
    of_row_.clear();
    for (std::size_t row = 0; row < softnet_.rows(); ++row) of_row_.push_back(&histories_[cpu(row)]);
  }
  const std::int64_t interval_ns = softnet_.interval_ns(sample);
  for (std::size_t row = 0; row < of_row_.size(); ++row) {
    const auto processed = softnet_.integer(sample, row, kProcessed);
    const auto dropped = softnet_.integer(sample, row, kDropped);
    const auto squeezes = softnet_.integer(sample, row, kTimeSqueeze);
    Verdict& verdict = verdicts_.emplace_back(Verdict::absent);
    if (!processed || !dropped || !squeezes || interval_ns <= 0) continue;
    History& history = *of_row_[row];
    if (!history.empty() && history.back().boot_ns >= sample.boot_ns) history.clear();
    while (!history.empty() && history.front().boot_ns < sample.boot_ns - kWindowNs) history.pop_front();
    const double seconds = static_cast<double>(interval_ns) / 1e9;
    const Entry now{sample.boot_ns, static_cast<double>(*processed) / seconds,
                    static_cast<double>(*squeezes) / seconds};
    verdict = history.size() < kLeast                       ? Verdict::unknown
              : is_burst(history, now, *dropped, *squeezes) ? Verdict::yes
                                                            : Verdict::no;
    history.push_back(now);
    if (history.size() > kMost) history.pop_front();
  }
  return verdicts_;
}

}  // namespace mikroscope::sinks
