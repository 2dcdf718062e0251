// Programs that a test starts, and what they answer. Everything ends with the test.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace mikroscope::agents_test {

struct Exited {
  bool signalled = false;
  int code = 0;  // exit status, or the signal's number
};

// Runs until it ends or the object dies. What it prints (both streams) is kept.
class Process {
 public:
  // `env` is the whole environment beside PATH, HOME and TMPDIR.
  Process(const std::vector<std::string>& argv, const std::vector<std::string>& env = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  // nullopt: it is still running when the time is over.
  std::optional<Exited> wait(int timeout_ms);
  std::string output() const;

 private:
  pid_t pid_ = -1;
  base::Fd log_;
  std::optional<Exited> exited_;
};

struct RunResult {
  Exited exited;
  std::string output;
  bool ok() const { return !exited.signalled && exited.code == 0; }
};
// Runs a command to its end (60 s at most).
RunResult run(const std::vector<std::string>& argv, const std::vector<std::string>& env = {});

// Whether PATH has it.
bool have(const std::string& tool);

// A TCP port of the loopback address that was free a moment ago.
std::uint16_t free_port();

// The body of a 200 reply to GET http://127.0.0.1:port/path, chunks put together; empty otherwise. `headers`
// are whole lines. In the network namespace of the caller.
std::string http_get(std::uint16_t port, const std::string& path, const std::string& headers = {});
// Repeats it until the body holds `wanted`, at most `timeout_ms`; the last body.
std::string http_get_until(std::uint16_t port, const std::string& path, const std::string& wanted,
                           int timeout_ms);

// A directory that is removed with all that is in it.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }

 private:
  std::string path_;
};

// The stripped agent of this build, and whether it was built.
std::string agent_path(std::string_view arch);

}  // namespace mikroscope::agents_test
