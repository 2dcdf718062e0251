#include "tests/routersim/log.h"

#include <chrono>

namespace mikroscope::routersim {

void Log::add(std::string topics, std::string message) {
  constexpr std::size_t kKept = 1000;  // as /system/logging's memory action
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  lines_.push_back({next_++, std::chrono::duration_cast<std::chrono::seconds>(wall).count(),
                    std::move(topics), std::move(message)});
  if (lines_.size() > kKept) lines_.pop_front();
}

}  // namespace mikroscope::routersim
