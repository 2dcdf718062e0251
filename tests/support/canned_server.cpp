#include "tests/support/canned_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mikroscope::test {

CannedServer::CannedServer(std::deque<Reply> replies) : replies_(std::move(replies)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener_, 8);
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

CannedServer::~CannedServer() {
  stop_ = true;
  thread_.join();
  ::close(listener_);
}

std::vector<std::string> CannedServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

// One connection at a time: the client under test has no more.
void CannedServer::serve() {
  while (!stop_) {
    pollfd p{listener_, POLLIN, 0};
    if (::poll(&p, 1, 20) <= 0) continue;
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    std::string buffer;
    while (!stop_) {
      pollfd data{fd, POLLIN, 0};
      if (::poll(&data, 1, 20) <= 0) continue;
      char bytes[4096];
      const ssize_t n = ::recv(fd, bytes, sizeof bytes, 0);
      if (n <= 0) break;
      buffer.append(bytes, static_cast<std::size_t>(n));
      const std::size_t end = buffer.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const std::string head = buffer.substr(0, end + 2);
      buffer.erase(0, end + 4);
      if (!answer(fd, head)) break;
    }
    ::close(fd);
  }
}

bool CannedServer::answer(int fd, const std::string& head) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(head);
  if (replies_.empty()) return false;
  const Reply reply = std::move(replies_.front());
  replies_.pop_front();
  std::string out = fmt::format("HTTP/1.1 {} X\r\nContent-Type: {}\r\nContent-Length: {}\r\n", reply.status,
                                reply.type, reply.promise != 0 ? reply.promise : reply.body.size());
  if (!reply.instance.empty()) out += "Mikroscope-Instance: " + reply.instance + "\r\n";
  out += "\r\n" + reply.body;
  return ::send(fd, out.data(), out.size(), MSG_NOSIGNAL) >= 0 && reply.promise == 0;
}

}  // namespace mikroscope::test
