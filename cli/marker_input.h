// Lines that become markers: typed at the terminal, or from a pipe or FIFO.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/file.h"
#include "base/host/result.h"

namespace mikroscope::cli {

struct TypedLine {
  std::string text;               // trimmed, never empty
  std::int64_t host_boot_ns = 0;  // this machine's clocks when the line was read
  std::int64_t host_wall_ns = 0;
};

// Reads on a thread of its own, so that a line is stamped when it comes and not when the recorder has time
// for it.
class MarkerInput {
 public:
  enum class Source : std::uint8_t { none, terminal, stream };

  // `from`: empty (standard input if it is a terminal), "-" (standard input whatever it is), "none", or a
  // FIFO's path.
  static base::Result<std::unique_ptr<MarkerInput>> open(const std::string& from);
  ~MarkerInput();
  MarkerInput(const MarkerInput&) = delete;
  MarkerInput& operator=(const MarkerInput&) = delete;

  Source source() const { return source_; }
  // The terminal belongs to another job: it is not read until we are in the foreground.
  bool in_background() const;
  int fd() const { return wake_[0].get(); }  // readable while lines wait
  bool next(TypedLine& out);

 private:
  MarkerInput() = default;
  void read_loop();
  void take(char* bytes, std::size_t count, std::string& line);

  Source source_ = Source::none;
  int input_ = -1;
  base::Fd own_input_;
  base::Fd keep_open_;  // our own writing end of a FIFO: it never ends
  base::Fd wake_[2];
  base::Fd stop_[2];
  std::mutex mutex_;
  std::deque<TypedLine> lines_;
  std::thread thread_;
};

}  // namespace mikroscope::cli
