// The plainest API client: sends sentences or raw octets, and reads what comes, with a deadline.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "tests/routersim/api/words.h"

namespace mikroscope::routersim {

class RawClient {
 public:
  explicit RawClient(std::uint16_t port) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  int fd() const { return fd_; }
  void send(const Sentence& sentence) { send_raw(encode(sentence)); }
  void send_raw(const std::string& octets) {
    EXPECT_EQ(::send(fd_, octets.data(), octets.size(), MSG_NOSIGNAL), static_cast<ssize_t>(octets.size()));
  }

  // Words joined by blanks; "(closed)" at the end, "(reset)", or "(nothing)" after `wait_ms`.
  std::string next(int wait_ms = 5000) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
    while (true) {
      if (const auto sentence = reader_.next()) {
        std::string text;
        for (const std::string& word : *sentence) text += (text.empty() ? "" : " ") + word;
        return text;
      }
      if (reader_.broken()) return "(broken)";
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
              .count();
      pollfd waiting{fd_, POLLIN, 0};
      if (left <= 0 || ::poll(&waiting, 1, static_cast<int>(left)) <= 0) return "(nothing)";
      char buffer[4096];
      const ssize_t got = ::recv(fd_, buffer, sizeof buffer, 0);
      if (got == 0) return "(closed)";
      if (got < 0) return "(reset)";
      ++segments_;
      reader_.feed(std::string_view(buffer, static_cast<std::size_t>(got)));
    }
  }
  // Up to and with the !done of `tag` ("" : any), one per line.
  std::string until_done(const std::string& tag = {}) {
    std::string all;
    while (true) {
      const std::string line = next();
      all += line + "\n";
      if (line.rfind("(", 0) == 0) return all;
      if (line.rfind("!done", 0) == 0 && (tag.empty() || line.find(".tag=" + tag) != std::string::npos))
        return all;
    }
  }
  std::string ask(const Sentence& sentence) {
    send(sentence);
    return until_done();
  }
  void login(const std::string& name = "admin", const std::string& password = "") {
    EXPECT_EQ(ask({"/login", "=name=" + name, "=password=" + password}), "!done\n");
  }
  int segments() const { return segments_; }

 private:
  int fd_ = -1;
  int segments_ = 0;
  Reader reader_;
};

}  // namespace mikroscope::routersim
