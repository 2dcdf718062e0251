// A kept TCP connection to a receiver that never answers (carbon's plaintext).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::sinks {

class GraphiteLink {
 public:
  GraphiteLink(std::string host, std::string port) : host_(std::move(host)), port_(std::move(port)) {}
  ~GraphiteLink();
  GraphiteLink(const GraphiteLink&) = delete;
  GraphiteLink& operator=(const GraphiteLink&) = delete;

  // Connects where there is no connection, or its other end is gone. True: a new connection.
  base::Result<bool> open(std::int64_t deadline_ns);
  // All of `text` into the connection, by `deadline_ns` of the monotonic clock; else it is closed.
  base::Result<void> send(std::string_view text, std::int64_t deadline_ns);
  void interrupt() { interrupted_.store(true); }

 private:
  bool gone() const;
  bool wait(short events, std::int64_t deadline_ns);
  void close();

  std::string host_;
  std::string port_;
  int fd_ = -1;
  std::atomic<bool> interrupted_{false};
};

}  // namespace mikroscope::sinks
