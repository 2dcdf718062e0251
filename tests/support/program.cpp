#include "tests/support/program.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

extern char** environ;

namespace mikroscope::test {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool eventually(std::int64_t within_ms, const std::function<bool()>& done) {
  const std::int64_t deadline = now_ms() + within_ms;
  for (;;) {
    if (done()) return true;
    if (now_ms() >= deadline) return false;
    ::poll(nullptr, 0, 5);
  }
}

Program::Program(std::vector<std::string> argv) : Program(std::move(argv), Options()) {}

Program::Program(std::vector<std::string> argv, const Options& options) : terminal_(options.terminal) {
  std::vector<std::string> env;
  const auto replaced = [&options](const std::string& entry) {
    const std::string name = entry.substr(0, entry.find('=') + 1);
    return std::any_of(options.env.begin(), options.env.end(),
                       [&name](const std::string& given) { return given.starts_with(name); });
  };
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string entry(*e);
    // Whoever runs the tests may have profiles.
    const bool own = entry.starts_with("MIKROSCOPE_") || entry.starts_with("NO_COLOR=") ||
                     entry.starts_with("TERM=") || entry.starts_with("XDG_");
    if (!own && !replaced(entry)) env.push_back(entry);
  }
  for (const char* const ours : {"TERM=xterm", "XDG_CONFIG_HOME=/nonexistent"}) {
    if (!replaced(ours)) env.emplace_back(ours);
  }
  for (const std::string& e : options.env) env.push_back(e);
  std::vector<char*> envp;
  for (std::string& e : env) envp.push_back(e.data());
  envp.push_back(nullptr);
  std::vector<char*> args;
  for (std::string& a : argv) args.push_back(a.data());
  args.push_back(nullptr);
  const std::string out_path = files_ / "out";
  const std::string err_path = files_ / "err";
  int pipe_fds[2] = {-1, -1};
  if (options.pipe_input && ::pipe2(pipe_fds, O_CLOEXEC) != 0) return;
  if (terminal_) {
    winsize size{24, 100, 0, 0};
    pid_ = ::forkpty(&input_, nullptr, nullptr, &size);
  } else {
    pid_ = ::fork();
  }
  if (pid_ == 0) {
    if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) ::_exit(125);
    if (!terminal_) {
      const char* const input = options.input.empty() ? "/dev/null" : options.input.c_str();
      ::dup2(options.pipe_input ? pipe_fds[0] : ::open(input, O_RDONLY), 0);
      ::dup2(::open(out_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
      ::dup2(::open(err_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    }
    ::execve(args[0], args.data(), envp.data());
    ::_exit(126);
  }
  if (options.pipe_input) {
    ::close(pipe_fds[0]);
    input_ = pipe_fds[1];
  }
  if (terminal_) ::fcntl(input_, F_SETFL, O_NONBLOCK);
}

Program::~Program() {
  if (running()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  close_input();
}

void Program::write_input(const std::string& text) const {
  (void)!::write(input_, text.data(), text.size());
}
void Program::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}
void Program::send(int signal) const {
  if (pid_ > 0) ::kill(pid_, signal);
}

bool Program::running() {
  if (pid_ <= 0) return false;
  if (::waitpid(pid_, &status_, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

void Program::read_terminal() {
  char buffer[4096];
  for (;;) {
    const ssize_t n = input_ >= 0 ? ::read(input_, buffer, sizeof buffer) : -1;
    if (n <= 0) return;
    seen_.append(buffer, static_cast<std::size_t>(n));
  }
}

std::string Program::out() {
  if (!terminal_) return slurp(files_ / "out");
  read_terminal();
  return seen_;
}
std::string Program::err() {
  return terminal_ ? out() : slurp(files_ / "err");
}

Exited Program::wait(std::int64_t within_ms) {
  Exited result;
  const bool ended = eventually(within_ms, [this] {
    if (terminal_) read_terminal();  // a full terminal would stop it
    return !running();
  });
  if (!ended) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status_, 0);
    pid_ = -1;
  } else if (WIFEXITED(status_)) {
    result.code = WEXITSTATUS(status_);
  } else {
    result.signal = WTERMSIG(status_);
  }
  result.out = out();
  result.err = err();
  return result;
}

std::vector<std::string> mikroscope(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), MIKROSCOPE_BINARY_DIR "/mikroscope");
  return arguments;
}

Exited run(std::vector<std::string> arguments, const Program::Options& options, std::int64_t within_ms) {
  Program program(mikroscope(std::move(arguments)), options);
  return program.wait(within_ms);
}
Exited run(std::vector<std::string> arguments) {
  return run(std::move(arguments), Program::Options());
}

char process_state(pid_t pid) {
  const std::string text = slurp("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t end = text.rfind(')');
  return end == std::string::npos || end + 2 >= text.size() ? '\0' : text[end + 2];
}

}  // namespace mikroscope::test
