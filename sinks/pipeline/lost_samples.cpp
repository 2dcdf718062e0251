#include "sinks/pipeline/lost_samples.h"

#include <algorithm>
#include <memory>

#include "sinks/pipeline/loss.h"

namespace mikroscope::sinks {

void LostSamples::add(const BlockHead& head) {
  if (head.samples == 0 && head.lost.empty()) return;
  OfOrigin& of = origins_[{head.host, head.instance}];
  if (!of.origin)
    of.origin = std::make_shared<const model::Origin>(model::Origin{head.host, head.instance, head.boot_id});
  if (head.samples > 0) of.ranges.emplace_back(head.first_seq, head.last_seq);
  of.ranges.insert(of.ranges.end(), head.lost.begin(), head.lost.end());
  of.wall_ns = std::max(of.wall_ns, head.last_wall_ns);
}

std::vector<std::vector<model::Event>> LostSamples::events() const {
  std::vector<std::vector<model::Event>> all;
  for (const auto& [key, of] : origins_) {
    auto ranges = of.ranges;
    std::sort(ranges.begin(), ranges.end());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> whole;
    for (const auto& range : ranges) {
      if (!whole.empty() && range.first <= whole.back().second + 1) {
        whole.back().second = std::max(whole.back().second, range.second);
      } else {
        whole.push_back(range);
      }
    }
    std::vector<model::Event>& events = all.emplace_back();
    // Each hole needs a time of its own: stores tell events of one kind apart by it.
    std::int64_t wall_ns = of.wall_ns;
    for (const auto& [from, to] : whole) events.push_back(gap_event(of.origin, from, to, "spool", wall_ns++));
  }
  return all;
}

}  // namespace mikroscope::sinks
