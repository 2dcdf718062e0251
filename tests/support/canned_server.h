// An HTTP server that hands out prepared replies in their order, for tests of what the client makes of them.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mikroscope::test {

class CannedServer {
 public:
  struct Reply {
    int status = 200;
    std::string type;
    std::string body;
    std::string instance;     // Mikroscope-Instance
    std::size_t promise = 0;  // Content-Length if not the body's: the connection is closed after the body
  };
  explicit CannedServer(std::deque<Reply> replies);
  ~CannedServer();
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::vector<std::string> requests() const;  // whole heads, in their order

 private:
  void serve();
  bool answer(int fd, const std::string& head);

  std::deque<Reply> replies_;
  std::vector<std::string> requests_;
  mutable std::mutex mutex_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace mikroscope::test
