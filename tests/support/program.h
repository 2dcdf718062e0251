// Runs the built programs as a user does.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace mikroscope::test {

// Polls until `done` or the time is over.
bool eventually(std::int64_t within_ms, const std::function<bool()>& done);
std::int64_t now_ms();

struct Exited {
  int code = -1;  // -1: did not end in time (and was killed) or by a signal
  int signal = 0;
  std::string out;
  std::string err;
};

class Program {
 public:
  struct Options {
    std::vector<std::string> env;  // NAME=VALUE, added; MIKROSCOPE_* of the caller are never handed on
    std::string input;             // path that is its standard input; empty: /dev/null
    bool pipe_input = false;       // standard input is a pipe: write_input()
    bool terminal = false;         // standard streams are a new pseudo terminal
    std::string directory;         // where it runs; empty: here
  };
  Program(std::vector<std::string> argv, const Options& options);
  explicit Program(std::vector<std::string> argv);
  ~Program();  // kills what still runs
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void write_input(const std::string& text) const;  // to the pipe or the terminal
  void close_input();
  void send(int signal) const;
  bool running();
  // What it printed up to now; of a terminal, both streams together.
  std::string out();
  std::string err();
  Exited wait(std::int64_t within_ms);

 private:
  void read_terminal();

  TempDir files_;
  pid_t pid_ = -1;
  int status_ = 0;
  int input_ = -1;  // write end of the pipe, or the terminal's master
  bool terminal_ = false;
  std::string seen_;
};

// The CLI of this build with these arguments.
std::vector<std::string> mikroscope(std::vector<std::string> arguments);
Exited run(std::vector<std::string> arguments, const Program::Options& options,
           std::int64_t within_ms = 20000);
Exited run(std::vector<std::string> arguments);

// Letter of /proc/<pid>/stat: R, S, T, …; 0 when it is gone.
char process_state(pid_t pid);

}  // namespace mikroscope::test
