// An HTTP server for one file and one reader.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/host/result.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

class OneFileServer {
 public:
  // Listens on `address`, an IPv4 or IPv6 literal, at a free port. `readers` are the addresses that may ask.
  // `bytes` must outlive it.
  static base::Result<std::unique_ptr<OneFileServer>> start(const std::string& address,
                                                            std::vector<std::string> readers,
                                                            std::string_view bytes, Progress progress);
  ~OneFileServer();
  OneFileServer(const OneFileServer&) = delete;
  OneFileServer& operator=(const OneFileServer&) = delete;

  std::string url() const { return url_; }  // with the unguessable path
  // Ends it. What happened is known afterwards.
  void stop();
  bool served() const { return served_; }  // one reader has had all of it
  // The last address that was refused; "" when none was.
  const std::string& turned_away() const { return turned_away_; }

 private:
  OneFileServer() = default;
  void run();
  void serve(int fd);

  base::Fd listener_;
  base::Fd wake_read_;
  base::Fd wake_write_;
  std::string url_;
  std::string path_;
  std::vector<std::string> readers_;
  std::string_view bytes_;
  Progress progress_;
  // Of the thread, until it has ended.
  bool given_ = false;  // a reader was let to it
  bool served_ = false;
  std::string turned_away_;
  std::thread thread_;
};

}  // namespace mikroscope::routeros
