#include "agent/server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

#include "agent/address.h"

namespace mikroscope::agent {
namespace {

constexpr std::size_t kHeadRoom = 768;       // before the body: the reply's head, or a chunk's size
constexpr std::size_t kTail = 16;            // after it: the ends of chunks
constexpr std::size_t kSendAt = 128 * 1024;  // a long reply is sent in pieces of this size
constexpr std::size_t kKeepTouched =
    320 * 1024;  // memory of a closed connection beyond this goes back to the kernel
constexpr std::size_t kPlainRoom = 192 * 1024;  // for /capabilities and the like

constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

bool set(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

}  // namespace

bool Server::start(Service& service, base::Arena& arena, std::size_t line, int epoll_fd,
                   const ServerTimes& times) {
  service_ = &service;
  epoll_ = epoll_fd;
  times_ = times;
  const std::size_t sliced = kSendAt + kSliceBytes + 2 * line + 64 * 1024;
  out_capacity_ = kHeadRoom + (sliced > kPlainRoom ? sliced : kPlainRoom) + kTail;
  out_capacity_ = (out_capacity_ + 4095) / 4096 * 4096;
  connections_ = arena.make<Connection>(kConnections);
  if (connections_ == nullptr) return false;
  for (Connection& c : every()) {
    c.in = static_cast<char*>(arena.take(kMaxHead, 64));
    c.out = static_cast<char*>(arena.take(out_capacity_, 4096));
    if (c.in == nullptr || c.out == nullptr) return false;
  }
  return true;
}

int Server::listen_on(std::string_view address, std::uint32_t port) {
  Address parsed;
  if (!address.empty() && !parse_address(address, parsed)) return EINVAL;
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(static_cast<std::uint16_t>(port));
  std::memcpy(&v4.sin_addr, parsed.bytes, sizeof v4.sin_addr);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = v4.sin_port;
  std::memcpy(&v6.sin6_addr, parsed.bytes, sizeof v6.sin6_addr);
  bool use6 = address.empty() || parsed.v6;
  const auto open_socket = [&](int family) {
    listener_ = base::Fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return static_cast<bool>(listener_);
  };
  // "Every address" is one dual-stack socket, or IPv4 alone where the kernel has no IPv6.
  if (use6 && !open_socket(AF_INET6)) {
    if (!address.empty()) return errno;
    use6 = false;
  }
  if (!use6 && !open_socket(AF_INET)) return errno;
  const int fd = listener_.get();
  set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  if (use6) set(fd, IPPROTO_IPV6, IPV6_V6ONLY, address.empty() ? 0 : 1);
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);  // accepted sockets inherit it
  // The loop is woken when a request is there, not when a connection is.
  set(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, 1);
  const int bound = use6 ? bind(fd, reinterpret_cast<const sockaddr*>(&v6), sizeof v6)
                         : bind(fd, reinterpret_cast<const sockaddr*>(&v4), sizeof v4);
  if (bound != 0 || listen(fd, 32) != 0) return errno;
  sockaddr_in6 real{};
  socklen_t size = sizeof real;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&real), &size) != 0) return errno;
  port_ = ntohs(real.sin6_port);  // at the same place in both families
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kListenerTag;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

Server::Connection* Server::place(std::int64_t now_ns, bool& spare) {
  Connection* found = nullptr;
  Connection* silent = nullptr;
  std::uint32_t open = 0;
  for (Connection& c : every()) {
    if (c.phase == Phase::free) {
      if (found == nullptr) found = &c;
      continue;
    }
    ++open;
    const bool resting = c.phase == Phase::reading && c.in_size == 0 && now_ns - c.since_ns > times_.head_ns;
    if (resting && (silent == nullptr || c.since_ns < silent->since_ns)) silent = &c;
  }
  // A connection that is only kept open makes room for one that asks for something.
  if (open >= kMaxClients && silent != nullptr) {
    close(*silent);
    found = silent;
    --open;
  }
  spare = open >= kMaxClients;
  return found;
}

void Server::accept_one(std::int64_t now_ns) {
  // One for each report of the listener, which goes on reporting while others wait: a single pull costs no
  // second call.
  base::Fd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd) return;
  ++service_->counts.accepted;
  bool spare = false;
  Connection* const c = place(now_ns, spare);
  if (c == nullptr) {
    ++service_->counts.refused;
    (void)send(fd.get(), kBusy.data(), kBusy.size(), MSG_NOSIGNAL);
    return;
  }
  used_ = std::max(used_, static_cast<std::uint32_t>(c - connections_) + 1);
  c->fd = static_cast<base::Fd&&>(fd);
  c->phase = Phase::reading;
  c->spare = spare;
  c->since_ns = now_ns;
  c->head_ns = now_ns;  // a client that connects and says nothing is no idle keep-alive
  ++service_->counts.open;
  readable(*c, now_ns);
}

void Server::close(Connection& c) {
  if (c.touched > kKeepTouched) madvise(c.out, out_capacity_, MADV_DONTNEED);
  c.fd.reset();  // this also takes it out of the epoll set
  c.phase = Phase::free;
  c.registered = false;
  c.interest = 0;
  c.in_size = c.body_size = c.send_from = c.send_to = c.touched = 0;
  c.blocked = c.idle = c.last = c.broken = c.head_sent = c.calm = false;
  --service_->counts.open;
  while (used_ != 0 && connections_[used_ - 1].phase == Phase::free) --used_;
}

void Server::watch(Connection& c) {
  std::uint32_t wanted = 0;
  if (c.blocked) {
    wanted = EPOLLOUT;
  } else if (c.phase == Phase::reading) {
    wanted = c.calm && c.in_size == 0 ? 0 : EPOLLIN | EPOLLRDHUP;
  } else if (c.phase == Phase::waiting || c.idle) {
    wanted = EPOLLRDHUP;
  }
  if (c.registered && c.interest == wanted) return;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = kConnectionTag + static_cast<std::uint64_t>(&c - connections_);
  if (epoll_ctl(epoll_, c.registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c.fd.get(), &event) != 0)
    return close(c);
  c.registered = true;
  c.interest = wanted;
}

void Server::on_event(std::uint64_t tag, std::uint32_t events, std::int64_t now_ns) {
  if (tag == kListenerTag) return accept_one(now_ns);
  if (tag < kConnectionTag || tag >= kConnectionTag + kConnections) return;
  Connection& c = connections_[tag - kConnectionTag];
  if (c.phase == Phase::free) return;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return close(c);
  if (c.phase == Phase::reading) return readable(c, now_ns);
  if ((events & EPOLLRDHUP) != 0 && !c.blocked) return close(c);  // nobody listens any more
  if ((events & EPOLLOUT) != 0) {
    c.blocked = false;
    if (flush(c, now_ns) && c.phase == Phase::reading) take_requests(c, now_ns);
    if (c.phase != Phase::free) watch(c);
  }
}

void Server::readable(Connection& c, std::int64_t now_ns) {
  const ssize_t got = recv(c.fd.get(), c.in + c.in_size, kMaxHead - c.in_size, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return watch(c);
  if (got <= 0) return close(c);
  if (c.in_size == 0) c.head_ns = now_ns;
  c.in_size += static_cast<std::size_t>(got);
  c.since_ns = now_ns;
  take_requests(c, now_ns);
}

// Answers complete requests until one has to wait, or no whole one is left.
void Server::take_requests(Connection& c, std::int64_t now_ns) {
  while (c.phase == Phase::reading && c.in_size != 0) {
    Request request;
    const HeadResult head = parse_head({c.in, c.in_size}, request);
    if (!head.complete) break;
    answer(c, request, head.status, now_ns);
    if (c.phase == Phase::free) return;
    // What was pipelined behind it stays for its turn.
    const std::size_t used = head.bytes < c.in_size ? head.bytes : c.in_size;
    std::memmove(c.in, c.in + used, c.in_size - used);
    c.in_size -= used;
    c.head_ns = c.in_size == 0 ? 0 : now_ns;
  }
  if (c.phase != Phase::free) watch(c);
}

Body Server::body_of(Connection& c) const {
  return Body(c.out + kHeadRoom + c.body_size, out_capacity_ - kHeadRoom - kTail - c.body_size);
}

void Server::answer(Connection& c, const Request& request, std::uint16_t bad, std::int64_t now_ns) {
  ++service_->counts.requests;
  c.response = Response{};
  c.http10 = request.http10;
  c.calm = false;
  c.keep_alive = request.keep_alive && !c.spare && bad == 0;
  c.head_only = request.method == Method::head;
  c.head_sent = c.last = c.broken = c.idle = false;
  c.body_size = 0;
  Body body = body_of(c);
  if (bad != 0) {
    refuse(c.response, bad, reason_phrase(bad).data(), body.text());
  } else if (c.spare && request.path != "/healthz") {
    ++service_->counts.refused;
    refuse(c.response, 503, "too many connections", body.text());
    c.response.extra = "Retry-After: 1\r\n";
  } else {
    service_->handle(request, c.response, body.text());
  }
  if (body.overflowed()) {
    body.text().rewind(0);
    refuse(c.response, 500, "the reply did not fit its buffer", body.text());
  }
  c.phase = Phase::replying;
  if (c.response.kind == ReplyKind::plain) {
    c.body_size = body.size();
    c.last = true;
    flush(c, now_ns);
    return;
  }
  const std::uint64_t newest = service_->store->ring.newest();
  const SampleQuery& q = c.response.query;
  c.calm = times_.calm_ns != 0 && c.response.kind == ReplyKind::samples && !q.endless;
  const std::uint64_t fresh = newest > q.since ? newest - q.since : 0;
  if (c.response.kind == ReplyKind::samples && c.response.wait_ms != 0 && fresh < c.response.least &&
      !q.restarted && !c.head_only) {
    c.phase = Phase::waiting;
    c.wait_until_ns = now_ns + static_cast<std::int64_t>(c.response.wait_ms) * 1000000;
    return;
  }
  begin_reply(c);
  fill(c);
  flush(c, now_ns);
}

void Server::begin_reply(Connection& c) {
  c.phase = Phase::replying;
  c.beat_ns = 0;
  if (c.response.kind == ReplyKind::samples) {
    c.samples = SampleReply(*service_->store, c.response.query);
  } else {
    c.capture = CaptureReply(*service_->store, *service_->captures, c.response.capture_id, c.response.query);
  }
}

// One slice of the body.
void Server::fill(Connection& c) {
  if (c.head_only) {
    c.last = true;
    return;
  }
  Body body = body_of(c);
  const SliceEnd end = c.response.kind == ReplyKind::samples ? c.samples.fill(body) : c.capture.fill(body);
  if (!body.overflowed()) c.body_size += body.size();
  c.last = end == SliceEnd::done;
  c.broken = end == SliceEnd::broken;
  c.idle = end == SliceEnd::idle;
}

std::size_t Server::write_head(const Connection& c, char* out, std::size_t capacity, bool chunked) const {
  const Response& r = c.response;
  base::Writer w(out, capacity);
  w.print("HTTP/1.1 %u %s", r.status, reason_phrase(r.status));
  if (r.status != 204) w.print("\r\nContent-Type: %s", r.content_type);
  if (chunked) {
    if (!c.http10) w.put("\r\nTransfer-Encoding: chunked");
  } else if (r.status != 204) {
    w.print("\r\nContent-Length: %u", c.body_size);
  }
  w.print(
      "\r\nCache-Control: no-store\r\nMikroscope-Instance: %s\r\nMikroscope-Boot-Id: "
      "%s\r\nMikroscope-Newest-Seq: %u",
      service_->facts->instance, service_->facts->boot_id, service_->store->ring.newest());
  if (!c.keep_alive || (chunked && c.http10)) {
    w.put("\r\nConnection: close");
  } else if (c.http10) {
    w.put("\r\nConnection: keep-alive");
  }
  w.print("\r\n%s\r\n", r.extra);
  return w.size();
}

// Puts the head, or a chunk's frame, around the body that was made, so that it goes out in one piece.
void Server::frame(Connection& c) {
  char head[kHeadRoom];
  std::size_t size = 0;
  const bool chunked = c.head_sent ? true : c.response.kind != ReplyKind::plain && (!c.last || c.head_only);
  if (!c.head_sent && c.broken && c.body_size == 0) {
    Body body = body_of(c);
    refuse(c.response, 500, "these samples could not be read back", body.text());
    c.body_size = body.size();
    c.broken = false;
    c.last = true;
    return frame(c);
  }
  if (!c.head_sent) size = write_head(c, head, sizeof head - 16, chunked);
  std::size_t body_end = kHeadRoom + c.body_size;
  if (c.head_only) body_end = kHeadRoom;
  if (chunked && !c.http10 && !c.head_only) {
    if (c.body_size != 0) {
      char digits[16];
      std::size_t count = 0;
      for (std::size_t n = c.body_size; n != 0; n >>= 4) digits[count++] = "0123456789abcdef"[n & 15];
      while (count != 0) head[size++] = digits[--count];
      head[size++] = '\r';
      head[size++] = '\n';
      std::memcpy(c.out + body_end, "\r\n", 2);
      body_end += 2;
    }
    if (c.last) {
      std::memcpy(c.out + body_end, "0\r\n\r\n", 5);
      body_end += 5;
    }
  }
  std::memcpy(c.out + kHeadRoom - size, head, size);
  c.send_from = kHeadRoom - size;
  c.send_to = body_end;
  if (c.send_to > c.touched) c.touched = c.send_to;
  c.head_sent = true;
  c.body_size = 0;
  if (chunked && c.http10) c.keep_alive = false;
}

// Sends what there is to send. True: the reply is finished (or the connection closed).
bool Server::flush(Connection& c, std::int64_t now_ns) {
  for (;;) {
    if (c.send_from == c.send_to) {
      const bool something =
          c.body_size != 0 || !c.head_sent || (c.last && c.response.kind != ReplyKind::plain);
      const bool ready = c.last || c.broken || c.idle || c.body_size >= kSendAt;
      if (!something || !ready) return false;
      frame(c);
    }
    const ssize_t sent = send(c.fd.get(), c.out + c.send_from, c.send_to - c.send_from, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) {
        c.blocked = true;
        return false;
      }
      close(c);
      return true;
    }
    c.send_from += static_cast<std::size_t>(sent);
    service_->counts.sent_bytes += static_cast<std::uint64_t>(sent);
    c.since_ns = now_ns;
    if (c.send_from != c.send_to) continue;
    c.send_from = c.send_to = 0;
    if (c.broken) {
      close(c);
      return true;
    }
    if (!c.last) return false;
    finish(c);
    return true;
  }
}

void Server::finish(Connection& c) {
  if (!c.keep_alive) {
    if (c.response.status >= 400) {
      // Unread bytes would turn the close into a reset, and the client might never see why it was refused.
      ::shutdown(c.fd.get(), SHUT_WR);
      for (int i = 0; i < 16 && recv(c.fd.get(), c.in, kMaxHead, 0) > 0; ++i) {
      }
      c.in_size = 0;
    }
    return close(c);
  }
  c.phase = Phase::reading;
  c.last = c.idle = c.head_sent = false;
}

void Server::on_sample(std::int64_t now_ns) {
  const std::uint64_t newest = service_->store->ring.newest();
  // A tenth of slack: a tick that comes a little early is still the one to look at.
  const bool look = now_ns - looked_ns_ >= times_.calm_ns - times_.calm_ns / 10;
  if (look) looked_ns_ = now_ns;
  for (Connection& c : used()) {
    if (c.phase == Phase::waiting) {
      const std::uint64_t since = c.response.query.since;
      if ((newest > since && newest - since >= c.response.least) || now_ns >= c.wait_until_ns) begin_reply(c);
    } else if (c.phase == Phase::replying && c.idle) {
      c.idle = false;
    } else if (look && c.calm && c.phase == Phase::reading && c.in_size == 0) {
      readable(c, now_ns);
    }
  }
}

bool Server::work(std::int64_t now_ns) {
  bool more = false;
  for (Connection& c : used()) {
    if (c.phase != Phase::replying || c.blocked || c.idle) continue;
    if (c.send_from == c.send_to && !c.last && !c.broken) {
      if (times_.heartbeat_ns != 0 && c.response.query.endless && !c.response.query.packed) {
        if (c.beat_ns == 0) c.beat_ns = now_ns;
        if (now_ns - c.beat_ns >= times_.heartbeat_ns) {
          c.beat_ns = now_ns;
          Body body = body_of(c);
          body.raw("# heartbeat seq=");
          body.text().u64(service_->store->ring.newest());
          body.raw("\n");
          c.body_size += body.size();
        }
      }
      fill(c);
    }
    if (flush(c, now_ns) && c.phase == Phase::reading) take_requests(c, now_ns);
    if (c.phase == Phase::free) continue;
    if (c.phase == Phase::replying && !c.blocked && !c.idle) {
      more = true;
    } else {
      watch(c);
    }
  }
  return more;
}

std::int64_t Server::expire(std::int64_t now_ns) {
  std::int64_t next = now_ns + 1'000'000'000;
  for (Connection& c : used()) {
    if (c.phase == Phase::free) continue;
    if (c.phase == Phase::waiting) {
      if (now_ns >= c.wait_until_ns) {
        begin_reply(c);
      } else if (c.wait_until_ns < next) {
        next = c.wait_until_ns;
      }
      continue;
    }
    const bool head_late =
        c.phase == Phase::reading && c.head_ns != 0 && now_ns - c.head_ns >= times_.head_ns;
    if (head_late || now_ns - c.since_ns >= times_.idle_ns) {
      ++service_->counts.timed_out;
      if (head_late && c.in_size != 0) {
        c.keep_alive = c.spare = false;
        answer(c, Request{}, 408, now_ns);
        if (c.phase == Phase::free) continue;
      }
      close(c);
    }
  }
  return next;
}

std::int64_t Server::first_deadline_ns() const {
  std::int64_t first = INT64_MAX;
  for (const Connection& c : used()) {
    if (c.phase == Phase::waiting && c.wait_until_ns < first) first = c.wait_until_ns;
  }
  return first;
}

bool Server::waits() const {
  return first_deadline_ns() != INT64_MAX;
}

void Server::stop(std::string_view reason) {
  listener_.reset();
  char line[128];
  base::Writer w(line, sizeof line);
  w.put("{\"bye\":{\"reason\":");
  w.json_string(reason);
  w.put("}}");
  for (Connection& c : used()) {
    if (c.phase == Phase::free) continue;
    const bool polled = c.phase == Phase::waiting;
    const bool streams = c.phase == Phase::replying && c.response.query.endless && c.send_from == c.send_to;
    if (polled) {
      c.keep_alive = false;
      begin_reply(c);
      fill(c);
    }
    if (polled || streams) {
      Body body = body_of(c);
      body.line(w.view(), c.response.query.packed);
      c.body_size += body.size();
      c.last = true;
      c.idle = false;
      c.keep_alive = false;
      flush(c, 0);
    }
    if (c.phase != Phase::free) close(c);
  }
}

}  // namespace mikroscope::agent
