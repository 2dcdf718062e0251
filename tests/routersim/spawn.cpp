#include "tests/routersim/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace mikroscope::routersim {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

// -1 when it does not start. No signal is blocked in it.
pid_t spawn(const std::vector<std::string>& argv, int in, int out) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (in >= 0) posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
  if (out >= 0) {
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t pid = -1;
  if (posix_spawnp(&pid, argv[0].c_str(), &files, &attributes, pointers(argv).data(), environ) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return pid;
}

}  // namespace

Spawner::Spawner() : thread_([this] { loop(); }) {}

Spawner::~Spawner() {
  {
    const std::lock_guard hold(lock_);
    over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void Spawner::run(const std::function<void()>& work) {
  std::unique_lock hold(lock_);
  wake_.wait(hold, [this] { return work_ == nullptr; });
  work_ = &work;
  wake_.notify_all();
  wake_.wait(hold, [this, &work] { return work_ != &work; });
}

void Spawner::loop() {
  std::unique_lock hold(lock_);
  while (true) {
    wake_.wait(hold, [this] { return over_ || work_ != nullptr; });
    if (over_) return;
    (*work_)();
    work_ = nullptr;
    wake_.notify_all();
  }
}

std::string run_tool(const std::vector<std::string>& argv, const std::string& input) {
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0) return "no pipe";
  if (::pipe2(out, O_CLOEXEC) != 0) return "no pipe";
  const pid_t pid = spawn(argv, in[0], out[1]);
  ::close(in[0]);
  ::close(out[1]);
  // Small enough for the pipe, or the tool reads it while it goes.
  std::size_t written = 0;
  while (pid > 0 && written < input.size()) {
    const ssize_t put = ::write(in[1], input.data() + written, input.size() - written);
    if (put <= 0) break;
    written += static_cast<std::size_t>(put);
  }
  ::close(in[1]);
  std::string printed;
  char buffer[4096];
  ssize_t got = 0;
  while (pid > 0 && (got = ::read(out[0], buffer, sizeof buffer)) > 0)
    printed.append(buffer, static_cast<std::size_t>(got));
  ::close(out[0]);
  if (pid < 0) return argv[0] + " cannot be started";
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  std::string command;
  for (const std::string& word : argv) command += word + " ";
  return fmt::format("{}failed: {}", command, printed);
}

bool in_network_of(pid_t pid, const std::function<void()>& work) {
  const int own = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  const int other = ::open(fmt::format("/proc/{}/ns/net", pid).c_str(), O_RDONLY | O_CLOEXEC);
  const bool entered = own >= 0 && other >= 0 && ::setns(other, CLONE_NEWNET) == 0;
  if (entered) {
    work();
    ::setns(own, CLONE_NEWNET);
  }
  if (own >= 0) ::close(own);
  if (other >= 0) ::close(other);
  return entered;
}

ScratchDir::ScratchDir() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base == nullptr || *base == '\0' ? "/tmp" : base) + "/mikroscope-routersim.XXXXXX";
  if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  int ends[2];
  if (path_.empty() || ::pipe2(ends, O_CLOEXEC) != 0) return;
  alive_ = ends[1];
  janitor_ = spawn({"sh", "-c", "trap '' INT TERM HUP; read x; rm -rf -- \"$0\"", path_}, ends[0], -1);
  ::close(ends[0]);
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  if (alive_ >= 0) ::close(alive_);
  if (janitor_ > 0) ::waitpid(janitor_, nullptr, 0);
}

}  // namespace mikroscope::routersim
