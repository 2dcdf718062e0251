// Small memories that detections are made of. Times are those of Emit::now_ns().
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace mikroscope::sinks {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kMinuteNs = 60 * kSecondNs;

// A state that lasts is told when it begins, and again every five minutes while it does.
class Held {
 public:
  static constexpr std::int64_t kRemindNs = 5 * kMinuteNs;
  // The condition holds: whether to tell it now.
  bool on(std::int64_t now_ns) {
    if (on_ && now_ns < told_ns_ + kRemindNs) return false;
    on_ = true;
    told_ns_ = now_ns;
    return true;
  }
  void off() { on_ = false; }

 private:
  bool on_ = false;
  std::int64_t told_ns_ = 0;
};

// When something happened to each key, within a window.
class Happenings {
 public:
  explicit Happenings(std::int64_t window_ns) : window_ns_(window_ns) {}
  // The number within the window that ends now.
  std::size_t add(const std::string& key, std::int64_t at_ns) {
    std::deque<std::int64_t>& times = times_[key];
    if (!times.empty() && times.back() > at_ns) times.clear();  // the clock began again
    while (!times.empty() && times.front() < at_ns - window_ns_) times.pop_front();
    times.push_back(at_ns);
    if (times.size() > kMost) times.pop_front();
    return times.size();
  }
  std::size_t count(const std::string& key, std::int64_t now_ns) const {
    const auto found = times_.find(key);
    std::size_t n = 0;
    if (found == times_.end()) return n;
    for (const std::int64_t at : found->second) n += at >= now_ns - window_ns_ && at <= now_ns ? 1 : 0;
    return n;
  }
  double span_s(const std::string& key) const {
    const auto found = times_.find(key);
    if (found == times_.end() || found->second.empty()) return 0;
    return static_cast<double>(found->second.back() - found->second.front()) / 1e9;
  }

 private:
  static constexpr std::size_t kMost = 10'000;
  std::int64_t window_ns_;
  std::map<std::string, std::deque<std::int64_t>> times_;
};

}  // namespace mikroscope::sinks
