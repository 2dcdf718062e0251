#include "tests/routersim/api/api_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/routersim/api/connection.h"

namespace mikroscope::routersim {

ApiServer::ApiServer(Router& router, Options options) : router_(router), options_(std::move(options)) {
  if (options_.tls != Tls::none) {
    tls_ = make_tls(options_.tls);
    if (tls_ == nullptr) trouble_ = "OpenSSL made no certificate";
  }
  if (trouble_.empty()) router_.in_router_network([this] { listen(); });
  if (trouble_.empty()) acceptor_ = std::thread([this] { accept_all(); });
}

ApiServer::~ApiServer() {
  over_ = true;
  if (acceptor_.joinable()) acceptor_.join();
  for (Worker& worker : workers_) worker.thread.join();
  if (fd_ >= 0) ::close(fd_);
}

void ApiServer::listen() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options_.port);
  if (inet_pton(AF_INET, options_.host.c_str(), &address.sin_addr) != 1) {
    trouble_ = fmt::format("\"{}\" is no IPv4 address", options_.host);
    return;
  }
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || ::listen(fd_, 64) != 0) {
    trouble_ = fmt::format("cannot listen on {}:{}: {}", options_.host, options_.port, strerror(errno));
    return;
  }
  socklen_t size = sizeof address;
  ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
}

void ApiServer::accept_all() {
  const Via via = options_.tls == Tls::none ? Via::api : Via::api_ssl;
  while (!over_) {
    for (auto it = workers_.begin(); it != workers_.end();) {
      if (it->over) {
        it->thread.join();
        it = workers_.erase(it);
      } else {
        ++it;
      }
    }
    pollfd waiting{fd_, POLLIN, 0};
    if (::poll(&waiting, 1, 50) <= 0) continue;
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    const int fd = ::accept4(fd_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &peer.sin_addr, text, sizeof text);
    const std::string from = text;
    // Too many sessions, or not a welcome address: the router hangs up without a word.
    if (!router_.admit(via, from)) {
      ::close(fd);
      continue;
    }
    Worker& worker = workers_.emplace_back();
    worker.thread = std::thread([this, &worker, fd, from, via] {
      if (auto stream = make_stream(fd, tls_)) {
        Connection(router_, *stream, via, from).serve(over_);
      } else {
        router_.log("api,error", "ssl handshake with " + from + " failed");
      }
      router_.leave(via);
      worker.over = true;
    });
  }
}

}  // namespace mikroscope::routersim
