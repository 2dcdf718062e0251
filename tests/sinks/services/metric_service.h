// A real server for a test of a metric store: ended with the test.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/loopback.h"

namespace mikroscope::sinks::test {

inline bool installed(const std::string& program) {
  std::stringstream path(std::string(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH")));
  for (std::string directory; std::getline(path, directory, ':');) {
    if (access((directory + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

inline std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_all(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

using mikroscope::test::free_port;

// Polls until `done` or the time is over.
inline bool poll_until(int seconds, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (!done()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

inline bool accepts(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool ok = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return ok;
}

class MetricService {
 public:
  // Its output goes into `log`; its input comes from `input`.
  MetricService(const std::vector<std::string>& argv, std::string log, const std::string& input = "/dev/null")
      : log_(std::move(log)) {
    std::vector<char*> args;
    for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));
    args.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    const int in = ::open(input.c_str(), O_RDONLY);
    const int out = ::open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execvp(args[0], args.data());
    _exit(127);
  }
  ~MetricService() { stop(); }
  MetricService(const MetricService&) = delete;
  MetricService& operator=(const MetricService&) = delete;

  void stop() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    if (!poll_until(10, [this] { return waitpid(pid_, nullptr, WNOHANG) == pid_; })) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }
  // Its exit code; -1 where it did not end in time.
  int wait(int seconds) {
    int status = 0;
    if (!poll_until(seconds, [&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string log() const { return read_all(log_); }

 private:
  std::string log_;
  pid_t pid_ = -1;
};

// Runs a program to its end.
struct Ran {
  int code = -1;
  std::string output;  // both streams
};
inline Ran run(const std::vector<std::string>& argv, const std::string& log,
               const std::string& input = "/dev/null", int seconds = 60) {
  MetricService program(argv, log, input);
  const int code = program.wait(seconds);
  return {code, program.log()};
}

}  // namespace mikroscope::sinks::test
