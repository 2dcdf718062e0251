// Connections: accepts, reads requests, sends what Service answers. Nothing here ever waits for a client.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "agent/reply.h"
#include "agent/service.h"
#include "base/arena.h"
#include "base/file.h"

namespace mikroscope::agent {

constexpr std::uint32_t kMaxClients = 8;
constexpr std::uint32_t kSpareClients =
    2;  // beyond those: /healthz is still answered there, the rest gets 503
constexpr std::uint32_t kConnections = kMaxClients + kSpareClients;

struct ServerTimes {
  std::int64_t head_ns = 5'000'000'000;   // from the first byte of a request to its last
  std::int64_t idle_ns = 60'000'000'000;  // between requests, and without progress in sending
  std::int64_t heartbeat_ns = 5'000'000'000;
  // A client that pulls samples over a kept connection is looked at right after a tick, at most so often, and
  // does not wake the process in between: a wake-up costs more than the reply. 0: every request is answered
  // when it comes.
  std::int64_t calm_ns = 0;
};

class Server {
 public:
  // Tags of the server's descriptors in the epoll set: kListenerTag and kConnectionTag + index.
  static constexpr std::uint64_t kListenerTag = 100;
  static constexpr std::uint64_t kConnectionTag = 200;

  Server() = default;
  // `line` is line_bound() of the tables. False: no memory.
  bool start(Service& service, base::Arena& arena, std::size_t line, int epoll_fd,
             const ServerTimes& times = {});
  // Listens on address:port (port 0: any). 0, or the errno that it failed with.
  int listen_on(std::string_view address, std::uint32_t port);
  std::uint32_t port() const { return port_; }  // the real one

  void on_event(std::uint64_t tag, std::uint32_t events, std::int64_t now_ns);
  // A sample was stored: long polls and streams may go on.
  void on_sample(std::int64_t now_ns);
  // One slice for every reply that can go on. True: some still can.
  bool work(std::int64_t now_ns);
  // Closes what has been silent for too long, ends long polls that are due. Returns when to call again at the
  // latest.
  std::int64_t expire(std::int64_t now_ns);
  bool waits() const;  // a long poll is waiting
  // When the first long poll is due; INT64_MAX: none waits.
  std::int64_t first_deadline_ns() const;
  // Says goodbye on every stream and closes everything.
  void stop(std::string_view reason);

 private:
  enum class Phase : std::uint8_t { free, reading, waiting, replying };

  struct Connection {
    base::Fd fd;
    Phase phase = Phase::free;
    bool spare = false;
    bool keep_alive = false;
    bool http10 = false;
    bool head_only = false;
    bool head_sent = false;
    bool last = false;     // the body is whole; what is unsent is all there is
    bool broken = false;   // ends without its proper end
    bool idle = false;     // a stream that has said all there is
    bool blocked = false;  // the socket is full
    bool calm = false;     // its last request was a pull of samples (ServerTimes::calm_ns)
    bool registered = false;
    std::uint32_t interest = 0;
    char* in = nullptr;
    std::size_t in_size = 0;
    char* out = nullptr;
    std::size_t body_size = 0;  // made, not yet framed
    std::size_t send_from = 0;  // framed, not yet sent
    std::size_t send_to = 0;
    std::size_t touched = 0;    // how much of `out` was ever used by this connection
    std::int64_t since_ns = 0;  // of the last progress
    std::int64_t head_ns = 0;   // when the first byte of an incomplete request came; 0: none
    std::int64_t wait_until_ns = 0;
    std::int64_t beat_ns = 0;
    Response response;
    SampleReply samples;
    CaptureReply capture;
  };

  void accept_one(std::int64_t now_ns);
  std::span<Connection> every() { return {connections_, kConnections}; }
  std::span<Connection> used() { return {connections_, used_}; }
  std::span<const Connection> used() const { return {connections_, used_}; }
  Connection* place(std::int64_t now_ns, bool& spare);
  void readable(Connection& c, std::int64_t now_ns);
  void take_requests(Connection& c, std::int64_t now_ns);
  void answer(Connection& c, const Request& request, std::uint16_t bad, std::int64_t now_ns);
  void begin_reply(Connection& c);
  void fill(Connection& c);
  void frame(Connection& c);
  std::size_t write_head(const Connection& c, char* out, std::size_t capacity, bool chunked) const;
  bool flush(Connection& c, std::int64_t now_ns);
  void finish(Connection& c);
  void close(Connection& c);
  void watch(Connection& c);
  Body body_of(Connection& c) const;

  Service* service_ = nullptr;
  int epoll_ = 0;
  base::Fd listener_;
  std::uint32_t port_ = 0;
  std::size_t out_capacity_ = 0;
  ServerTimes times_{0, 0, 0, 0};
  std::int64_t looked_ns_ = 0;         // when calm clients were looked at
  Connection* connections_ = nullptr;  // kConnections of them
  std::uint32_t used_ = 0;             // connections from here on are free: a tick does not look at them
};

}  // namespace mikroscope::agent
