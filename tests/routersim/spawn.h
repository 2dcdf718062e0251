// Child processes of the double. All end with it, even when it is killed: children that run on ask the kernel
// for SIGKILL at their parent's death, so they must be started by a thread that lives as long as the program.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace mikroscope::routersim {

// A thread that starts children.
class Spawner {
 public:
  Spawner();
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  // Runs `work` there and waits for it.
  void run(const std::function<void()>& work);

 private:
  void loop();

  std::mutex lock_;
  std::condition_variable wake_;
  const std::function<void()>* work_ = nullptr;
  bool over_ = false;
  std::thread thread_;
};

// Runs a program to its end. Its standard input is `input`; "" when it went well, what it printed otherwise.
std::string run_tool(const std::vector<std::string>& argv, const std::string& input = {});

// In the network namespace of process `pid`, on this thread only. False: it cannot be entered.
bool in_network_of(pid_t pid, const std::function<void()>& work);

// A directory below $TMPDIR that goes with the object, and also when the program is killed.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int alive_ = -1;  // its closing tells the janitor
  pid_t janitor_ = -1;
};

}  // namespace mikroscope::routersim
