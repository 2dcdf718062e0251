// A store that answers what it is told to, and keeps what it was sent.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/loopback.h"

namespace mikroscope::sinks::test {

class CannedStore {
 public:
  struct Request {
    std::string head;  // request line and headers
    std::string body;
  };
  CannedStore() {
    const mikroscope::test::Listener listener = mikroscope::test::listen_on_loopback();
    listener_ = listener.fd;
    url_ = "http://127.0.0.1:" + std::to_string(listener.port);
    thread_ = std::thread([this] { serve(); });
  }
  ~CannedStore() {
    end_.store(true);
    thread_.join();
    close(listener_);
  }
  CannedStore(const CannedStore&) = delete;
  CannedStore& operator=(const CannedStore&) = delete;

  const std::string& url() const { return url_; }
  // "503 Busy\r\nRetry-After: 7" and a body; without any left it is 200.
  void answer(const std::string& status_and_headers, const std::string& body = {}) {
    const std::lock_guard lock(mutex_);
    answers_.emplace_back(status_and_headers, body);
  }
  std::vector<Request> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  bool wait(int fd) const {
    pollfd poll_fd{fd, POLLIN, 0};
    while (!end_.load()) {
      if (poll(&poll_fd, 1, 20) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (wait(listener_)) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      one(fd);
      close(fd);
    }
  }

  void one(int fd) {
    std::string in;
    std::size_t head = std::string::npos, length = 0;
    while (head == std::string::npos || in.size() < head + 4 + length) {
      char buffer[65536];
      if (!wait(fd)) return;
      const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
      if (got <= 0) return;
      in.append(buffer, static_cast<std::size_t>(got));
      if (head != std::string::npos) continue;
      head = in.find("\r\n\r\n");
      if (head == std::string::npos) continue;
      const std::size_t at = in.find("Content-Length: ");
      if (at < head) length = std::stoul(in.substr(at + 16));
    }
    std::pair<std::string, std::string> answer{"200 OK", ""};
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back({in.substr(0, head), in.substr(head + 4)});
      if (!answers_.empty()) {
        answer = answers_.front();
        answers_.pop_front();
      }
    }
    const std::string out = "HTTP/1.1 " + answer.first + "\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(answer.second.size()) + "\r\n\r\n" + answer.second;
    send(fd, out.data(), out.size(), MSG_NOSIGNAL);
  }

  int listener_ = -1;
  std::string url_;
  std::atomic<bool> end_{false};
  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, std::string>> answers_;
  std::vector<Request> requests_;
  std::thread thread_;
};

}  // namespace mikroscope::sinks::test
