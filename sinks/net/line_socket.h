// Lines to a receiver that never answers: TCP over a kept connection, or UDP datagrams cut at line ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::sinks {

class LineSocket {
 public:
  enum class Kind : std::uint8_t { tcp, udp };
  // A datagram has at most so many bytes: it passes a network with a 1500 byte MTU in one piece, tunnels
  // included.
  static constexpr std::size_t kDatagram = 1432;

  LineSocket(Kind kind, std::string host, std::string port)
      : kind_(kind), host_(std::move(host)), port_(std::move(port)) {}
  ~LineSocket();
  LineSocket(const LineSocket&) = delete;
  LineSocket& operator=(const LineSocket&) = delete;

  // Connects where there is no connection or the other end has closed it.
  base::Result<void> open(std::int64_t deadline_ns);
  // Whole lines, each with its newline. The number of lines that fit into no datagram and were left out. TCP:
  // an error where the other end closed or reset the connection before this returns; what it had received by
  // then is unknown. A receiver that takes bytes and dies later without reading them cannot be told.
  base::Result<std::uint64_t> send(std::string_view lines, std::int64_t deadline_ns);
  // From another thread: what waits ends soon.
  void interrupt() { interrupted_.store(true); }

 private:
  bool gone() const;
  bool wait(short events, std::int64_t deadline_ns);
  void close();
  base::Error failed(const char* doing, int error);
  base::Result<std::uint64_t> send_stream(std::string_view lines, std::int64_t deadline_ns);
  base::Result<std::uint64_t> send_datagrams(std::string_view lines, std::int64_t deadline_ns);
  base::Result<void> send_some(std::string_view& bytes, std::int64_t deadline_ns);

  Kind kind_;
  std::string host_;
  std::string port_;
  int fd_ = -1;
  std::atomic<bool> interrupted_{false};
};

}  // namespace mikroscope::sinks
