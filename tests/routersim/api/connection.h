// One API connection: login, commands, tags, /cancel, /listen, and what faults do to them.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tests/routersim/api/stream.h"
#include "tests/routersim/api/words.h"
#include "tests/routersim/router.h"

namespace mikroscope::routersim {

class Connection {
 public:
  Connection(Router& router, Stream& stream, Via via, std::string from)
      : router_(router), stream_(stream), via_(via), from_(std::move(from)) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Until the peer goes, the router reboots, or `over`.
  void serve(const std::atomic<bool>& over);

 private:
  // A command that runs in a thread of its own: tagged ones that take time.
  struct Job {
    std::string tag;
    std::atomic<bool> cancelled{false};
    std::atomic<bool> over{false};
    std::thread thread;
  };

  void handle(const Sentence& sentence);
  void login(const Attributes& words, const std::string& tag);
  void cancel(const Attributes& words, const std::string& tag);
  void run(const Request& request, const std::string& tag, Job* job);
  void listen(const std::string& menu, const std::string& tag, Job& job);
  void answer(const Request& request, const Outcome& outcome, const std::string& tag, Job* job);
  // A sentence with its tag, encoded as the faults have it.
  std::string reply(std::string kind, const Attributes& words, const std::string& tag);
  std::string trap(const Trap& what, const std::string& tag);
  // Of a job that was cancelled nothing is sent any more.
  void send(const std::string& octets, Job* job);
  void fatal(const std::string& why);
  void reap(bool all);

  Router& router_;
  Stream& stream_;
  Via via_;
  std::string from_;
  std::optional<User> user_;
  std::string challenge_;  // 16 octets, while a legacy login is under way
  std::mutex writing_;
  std::list<Job> jobs_;
  std::int64_t requests_ = 0;
  std::int64_t replies_ = 0;  // under writing_
  std::atomic<bool> closed_{false};
};

}  // namespace mikroscope::routersim
