// SHA-256 of a large file on a thread of its own, beside the reading of it: hashing takes about as long as
// reading.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "plot/hash.h"

namespace mikroscope::plot {

class HashBehind {
 public:
  // `valid`: how many further pieces are made before the memory of one is used again (FilePieces::kValid).
  explicit HashBehind(std::size_t valid);
  // What was not hashed yet is dropped.
  ~HashBehind();
  HashBehind(const HashBehind&) = delete;
  HashBehind& operator=(const HashBehind&) = delete;

  // Waits until so few pieces are pending that the caller may make the next one.
  void update(std::string_view piece);
  // Once, after the last piece; lower-case.
  std::string hex();

 private:
  void run();
  void stop(bool drop);

  const std::size_t most_;  // pieces pending, the one being hashed among them
  Sha256 hash_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string_view> pending_;
  bool ending_ = false;
  std::thread thread_;  // none where the system grants none: the caller hashes then
};

}  // namespace mikroscope::plot
