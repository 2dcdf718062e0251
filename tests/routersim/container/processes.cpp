#include "tests/routersim/container/processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/close_range.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/routersim/network.h"
#include "tests/routersim/spawn.h"
#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

constexpr std::size_t kStack = 256 * 1024;

// What the child needs, made before it exists: after the clone it may not allocate.
struct Birth {
  std::string root;
  std::string proc;  // root/proc
  std::string sys;
  std::string dev;
  std::vector<char*> argv;
  std::vector<char*> env;
  int emulator = -1;  // qemu-user, opened; -1: runs as it is
  int output = -1;
  int go = -1;  // readable once the network is set up; -1: at once
  bool isolated = false;
  bool privileged = false;
};

int be_born(void* given) {
  const Birth& birth = *static_cast<Birth*>(given);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  char word = 0;
  if (birth.go >= 0 && ::read(birth.go, &word, 1) != 1) ::_exit(126);
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(birth.output, STDOUT_FILENO);
  ::dup2(birth.output, STDERR_FILENO);
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (birth.isolated) {
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    ::mount("proc", birth.proc.c_str(), "proc", 0, nullptr);
    ::mount("sysfs", birth.sys.c_str(), "sysfs", 0, nullptr);
    ::mount("/dev", birth.dev.c_str(), nullptr, MS_BIND | MS_REC, nullptr);
    if (::chroot(birth.root.c_str()) != 0 || ::chdir("/") != 0) ::_exit(125);
    // On a router root of a container that is not privileged is nobody outside: it reads what nobody may.
    constexpr unsigned kNobody = 32768;
    if (!birth.privileged &&
        (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0))
      ::_exit(124);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // changing the user had taken it back
  }
  if (birth.emulator >= 0) {
    ::fexecve(birth.emulator, birth.argv.data(), birth.env.data());
  } else {
    ::execve(birth.argv[0], birth.argv.data(), birth.env.data());
  }
  ::_exit(127);
}

std::string emulator_of(routeros::Arch arch) {
  switch (arch) {
    case routeros::Arch::amd64:
      return "";
    case routeros::Arch::arm64:
      return "qemu-aarch64-static";
    default:
      return "qemu-arm-static";
  }
}

std::string in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  const std::string dirs = path == nullptr ? "/usr/bin:/bin" : path;
  for (std::size_t at = 0; at <= dirs.size();) {
    const std::size_t end = std::min(dirs.find(':', at), dirs.size());
    const std::string whole = dirs.substr(at, end - at) + "/" + program;
    if (::access(whole.c_str(), X_OK) == 0) return whole;
    at = end + 1;
  }
  return "";
}

std::uint16_t free_port() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(fd, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(fd);
  return ntohs(address.sin_port);
}

class Processes final : public Runner {
 public:
  explicit Processes(const State& state) : state_(state), isolated_(state.config.run == RunMode::netns) {}
  ~Processes() override {
    for (const auto& [id, child] : children_) {
      ::kill(child.pid, SIGKILL);
      ::waitpid(child.pid, nullptr, 0);
      ::close(child.output);
    }
  }

  std::string start(const State& state, const RunSpec& spec) override;
  std::optional<Exited> poll(const std::string& id, std::vector<std::string>& lines) override;
  void signal(const std::string& id, int number) override {
    const auto found = children_.find(id);
    if (found != children_.end()) ::kill(found->second.pid, number);
  }
  std::string where(const std::string& id) const override {
    const auto found = children_.find(id);
    return found == children_.end() ? "" : found->second.where;
  }

 private:
  struct Child {
    pid_t pid = -1;
    int output = -1;
    std::string pending;  // of a line
    std::string where;
    std::string veth;
  };

  std::string unpack(const RunSpec& spec, Birth& birth);
  // Where the agent listens; on loopback an address of the container net is replaced.
  std::string place(const RunSpec& spec, std::vector<std::string>& env) const;

  const State& state_;
  bool isolated_;
  ScratchDir scratch_;
  Spawner spawner_;
  std::map<std::string, Child> children_;
};

std::string Processes::unpack(const RunSpec& spec, Birth& birth) {
  if (scratch_.path().empty()) return "no directory below TMPDIR";
  birth.root = scratch_.path() + "/" + spec.id.substr(1);
  birth.proc = birth.root + "/proc";
  birth.sys = birth.root + "/sys";
  birth.dev = birth.root + "/dev";
  std::error_code failed;
  std::filesystem::remove_all(birth.root, failed);
  for (const std::string& dir : {birth.proc, birth.sys, birth.dev, birth.root + "/tmp"})
    std::filesystem::create_directories(dir, failed);
  const std::string program = birth.root + std::string(routeros::kAgentPath);
  std::ofstream(program, std::ios::binary) << spec.program;
  return ::chmod(program.c_str(), 0755) == 0 ? "" : "cannot write " + program;
}

std::string Processes::place(const RunSpec& spec, std::vector<std::string>& env) const {
  std::string address;
  std::string port = "9123";
  for (const std::string& pair : env) {
    if (pair.rfind("ADDR=", 0) == 0) address = pair.substr(5);
    if (pair.rfind("PORT=", 0) == 0) port = pair.substr(5);
  }
  if (isolated_) {
    if (address.empty()) address = spec.address.substr(0, spec.address.find('/'));
    return address + ":" + port;
  }
  if (address.rfind("127.", 0) == 0) return address + ":" + port;
  std::erase_if(env, [](const std::string& pair) {
    return pair.rfind("ADDR=", 0) == 0 || pair.rfind("PORT=", 0) == 0;
  });
  port = std::to_string(free_port());
  env.push_back("ADDR=127.0.0.1");
  env.push_back("PORT=" + port);
  return "127.0.0.1:" + port;
}

std::string Processes::start(const State& state, const RunSpec& spec) {
  Birth birth;
  birth.isolated = isolated_;
  birth.privileged = spec.privileged;
  if (std::string trouble = unpack(spec, birth); !trouble.empty()) return trouble;
  std::vector<std::string> env = spec.env;
  Child child;
  child.where = place(spec, env);
  child.veth = spec.veth;
  std::vector<std::string> argv = {(isolated_ ? "" : birth.root) + std::string(routeros::kAgentPath)};
  if (const std::string emulator = emulator_of(spec.arch); !emulator.empty()) {
    const std::string path = in_path(emulator);
    if (path.empty()) return emulator + " is not installed";
    birth.emulator = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    argv.insert(argv.begin(), path);
  }
  for (std::string& word : argv) birth.argv.push_back(word.data());
  for (std::string& pair : env) birth.env.push_back(pair.data());
  birth.argv.push_back(nullptr);
  birth.env.push_back(nullptr);
  int output[2];
  int go[2] = {-1, -1};
  if (::pipe2(output, O_CLOEXEC) != 0 || (isolated_ && ::pipe2(go, O_CLOEXEC) != 0)) return "no pipe";
  ::fcntl(output[0], F_SETFL, O_NONBLOCK);
  birth.output = output[1];
  birth.go = go[0];
  std::vector<char> stack(kStack);
  const int flags = SIGCHLD | (isolated_ ? CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS : 0);
  spawner_.run([&] { child.pid = ::clone(be_born, stack.data() + kStack, flags, &birth); });
  const int error = errno;
  ::close(output[1]);
  if (birth.emulator >= 0) ::close(birth.emulator);
  if (go[0] >= 0) ::close(go[0]);
  child.output = output[0];
  if (child.pid < 0) {
    ::close(output[0]);
    if (go[1] >= 0) ::close(go[1]);
    return fmt::format("clone: {}", strerror(error));
  }
  std::optional<std::string> trouble;
  if (isolated_) {
    trouble = state.network->attach(state, spec.veth, child.pid);
    if (!trouble && ::write(go[1], "g", 1) != 1) trouble = "the container did not wait";
    ::close(go[1]);
  }
  if (trouble) {
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    ::close(child.output);
    return *trouble;
  }
  children_[spec.id] = child;
  return "";
}

std::optional<Exited> Processes::poll(const std::string& id, std::vector<std::string>& lines) {
  const auto found = children_.find(id);
  if (found == children_.end()) return std::nullopt;
  Child& child = found->second;
  int status = 0;
  const bool gone = ::waitpid(child.pid, &status, WNOHANG) == child.pid;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(child.output, buffer, sizeof buffer)) > 0;)
    child.pending.append(buffer, static_cast<std::size_t>(got));
  for (std::size_t end = child.pending.find('\n'); end != std::string::npos; end = child.pending.find('\n')) {
    lines.push_back(child.pending.substr(0, end));
    child.pending.erase(0, end + 1);
  }
  if (!gone) return std::nullopt;
  ::close(child.output);
  state_.network->detach(child.veth);
  children_.erase(found);
  return WIFSIGNALED(status) ? Exited{true, WTERMSIG(status)} : Exited{false, WEXITSTATUS(status)};
}

}  // namespace

std::unique_ptr<Runner> make_process_runner(const State& state) {
  return std::make_unique<Processes>(state);
}

}  // namespace mikroscope::routersim
