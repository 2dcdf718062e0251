// Tells whether a batch is the one that came before, so that what was rendered of it can be sent again.
#pragma once

#include <cstdint>
#include <span>

#include "model/event.h"

namespace mikroscope::sinks {

class SameBatch {
 public:
  // True for the events of the call before, unless forget() came between.
  bool again(std::span<const model::Event> events) {
    const std::uint64_t print = print_of(events);
    const bool same = known_ && print == print_ && events.size() == size_;
    known_ = true;
    print_ = print;
    size_ = events.size();
    return same;
  }
  void forget() { known_ = false; }

 private:
  static std::uint64_t print_of(std::span<const model::Event> events) {
    std::uint64_t print = 14695981039346656037U;
    const auto mix = [&print](std::uint64_t v) { print = (print ^ v) * 1099511628211U ^ (print >> 29); };
    for (const model::Event& event : events) {
      mix(static_cast<std::uint64_t>(event.wall_ns));
      mix(event.seq);
      mix(static_cast<std::uint64_t>(event.kind));
      mix(event.shape ? event.shape->id() : 0);
      for (const char c : event.origin ? event.origin->host : std::string())
        mix(static_cast<unsigned char>(c));
      for (const std::int64_t v : event.values) mix(static_cast<std::uint64_t>(v));
    }
    return print;
  }

  bool known_ = false;
  std::uint64_t print_ = 0;
  std::size_t size_ = 0;
};

}  // namespace mikroscope::sinks
