#include "routeros/deploy/fetch_upload_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/host/files.h"
#include "routeros/deploy/token.h"

namespace mikroscope::routeros {
namespace {

constexpr std::size_t kMaxHead = 4096;
constexpr std::int64_t kHeadNs = 5 * base::kNsPerSecond;
constexpr std::int64_t kQuietNs = 20 * base::kNsPerSecond;  // a reader that takes nothing for so long is gone

union Address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

bool parse_address(const std::string& text, Address& out, socklen_t& size) {
  out = {};
  if (inet_pton(AF_INET, text.c_str(), &out.v4.sin_addr) == 1) {
    out.v4.sin_family = AF_INET;
    size = sizeof out.v4;
    return true;
  }
  if (inet_pton(AF_INET6, text.c_str(), &out.v6.sin6_addr) != 1) return false;
  out.v6.sin6_family = AF_INET6;
  size = sizeof out.v6;
  return true;
}

std::string address_text(const Address& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.any.sa_family == AF_INET) {
    inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof text);
  }
  return text;
}

// Waits for `fd`; false when `stop` becomes readable or the time is up.
bool wait_for(int fd, short events, int stop, std::int64_t until_ns) {
  while (true) {
    const std::int64_t left_ns = until_ns - base::monotonic_ns();
    if (left_ns <= 0) return false;
    pollfd fds[2] = {{fd, events, 0}, {stop, POLLIN, 0}};
    const int ready =
        ::poll(fds, 2, static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000)));
    if (ready < 0 && errno != EINTR) return false;
    if (ready <= 0) continue;
    if (fds[1].revents != 0) return false;
    if (fds[0].revents != 0) return true;
  }
}

}  // namespace

base::Result<std::unique_ptr<OneFileServer>> OneFileServer::start(const std::string& address,
                                                                  std::vector<std::string> readers,
                                                                  std::string_view bytes, Progress progress) {
  std::unique_ptr<OneFileServer> out(new OneFileServer);
  Address bound{};
  socklen_t size = 0;
  if (!parse_address(address, bound, size)) {
    return base::Error{fmt::format("\"{}\" is no address to serve the image from", address),
                       "upload by SFTP instead: --upload sftp"};
  }
  out->listener_ = base::Fd(::socket(bound.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out->listener_ || ::bind(out->listener_.get(), &bound.any, size) != 0 ||
      ::listen(out->listener_.get(), 4) != 0 || ::getsockname(out->listener_.get(), &bound.any, &size) != 0) {
    return base::file_error("listen on", address, errno);
  }
  int wake[2];
  if (::pipe2(wake, O_CLOEXEC) != 0) return base::file_error("make", "a pipe", errno);
  out->wake_read_ = base::Fd(wake[0]);
  out->wake_write_ = base::Fd(wake[1]);
  base::Result<std::string> secret = make_token();
  if (!secret.ok()) return std::move(secret).error();
  out->path_ = "/" + *secret;
  const bool v4 = bound.any.sa_family == AF_INET;
  out->url_ = fmt::format("http://{}:{}{}", v4 ? address : "[" + address + "]",
                          ntohs(v4 ? bound.v4.sin_port : bound.v6.sin6_port), out->path_);
  out->readers_ = std::move(readers);
  out->bytes_ = bytes;
  out->progress_ = std::move(progress);
  out->thread_ = std::thread([server = out.get()] { server->run(); });
  return out;
}

OneFileServer::~OneFileServer() {
  stop();
}

void OneFileServer::stop() {
  if (!thread_.joinable()) return;
  wake_write_.reset();  // the reading end becomes readable
  thread_.join();
  listener_.reset();
}

void OneFileServer::run() {
  constexpr std::int64_t kForEver = INT64_MAX;
  while (wait_for(listener_.get(), POLLIN, wake_read_.get(), kForEver)) {
    Address peer{};
    socklen_t size = sizeof peer;
    const base::Fd client(::accept4(listener_.get(), &peer.any, &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client) continue;
    const std::string from = address_text(peer);
    if (std::find(readers_.begin(), readers_.end(), from) == readers_.end()) {
      turned_away_ = from;
      continue;
    }
    serve(client.get());
  }
}

void OneFileServer::serve(int fd) {
  std::string head;
  const std::int64_t head_until_ns = base::monotonic_ns() + kHeadNs;
  while (head.find("\r\n\r\n") == std::string::npos) {
    if (head.size() > kMaxHead || !wait_for(fd, POLLIN, wake_read_.get(), head_until_ns)) return;
    char buffer[1024];
    const ssize_t n = ::recv(fd, buffer, sizeof buffer, 0);
    if (n <= 0) return;
    head.append(buffer, static_cast<std::size_t>(n));
  }
  const bool asked = head.starts_with("GET " + path_ + " HTTP/1.");
  const bool now = asked && !given_;
  if (now) given_ = true;
  std::string reply = now ? fmt::format(
                                "HTTP/1.1 200 OK\r\nContent-Type: application/x-tar\r\nContent-Length: {}\r\n"
                                "Connection: close\r\n\r\n",
                                bytes_.size())
                          : "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const std::size_t total = reply.size() + (now ? bytes_.size() : 0);
  std::size_t sent = 0;
  while (sent < total) {
    const std::string_view part =
        sent < reply.size() ? std::string_view(reply).substr(sent) : bytes_.substr(sent - reply.size());
    if (!wait_for(fd, POLLOUT, wake_read_.get(), base::monotonic_ns() + kQuietNs)) return;
    const ssize_t n = ::send(fd, part.data(), part.size(), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
    if (now && progress_ && sent > reply.size()) progress_(sent - reply.size(), bytes_.size());
  }
  if (!now) return;
  served_ = true;
  // The reader closes once it has all; closing first with its words unread would cut off what is on the way.
  ::shutdown(fd, SHUT_WR);
  char rest[256];
  while (wait_for(fd, POLLIN, wake_read_.get(), base::monotonic_ns() + kHeadNs) &&
         ::recv(fd, rest, sizeof rest, 0) > 0) {
  }
}

}  // namespace mikroscope::routeros
