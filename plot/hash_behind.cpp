#include "plot/hash_behind.h"

#include <algorithm>
#include <system_error>

namespace mikroscope::plot {

HashBehind::HashBehind(std::size_t valid) : most_(std::max<std::size_t>(valid, 2) - 1) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
  }
}

HashBehind::~HashBehind() {
  stop(true);
}

void HashBehind::update(std::string_view piece) {
  if (!thread_.joinable()) return hash_.update(piece);
  std::unique_lock lock(mutex_);
  pending_.push_back(piece);
  changed_.notify_one();
  changed_.wait(lock, [this] { return pending_.size() <= most_; });
}

std::string HashBehind::hex() {
  stop(false);
  return hash_.hex();
}

void HashBehind::stop(bool drop) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    // The first one may be in the thread's hands.
    if (drop && pending_.size() > 1) pending_.resize(1);
  }
  changed_.notify_one();
  thread_.join();
}

void HashBehind::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const std::string_view piece = pending_.front();
    lock.unlock();
    hash_.update(piece);
    lock.lock();
    pending_.pop_front();
    changed_.notify_one();
  }
}

}  // namespace mikroscope::plot
