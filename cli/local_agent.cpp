#include "cli/local_agent.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/host/files.h"
#include "base/text.h"
#include "cli/embedded.h"

namespace mikroscope::cli {
namespace {

constexpr int kPortTries = 5;
constexpr std::int64_t kStartNs = 5 * base::kNsPerSecond;
constexpr std::int64_t kStopNs = 1 * base::kNsPerSecond;

std::string random_token() {
  unsigned char bytes[24];
  std::string out;
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) return out;
  for (const unsigned char b : bytes) out += fmt::format("{:02x}", b);
  return out;
}

// A port that was free a moment ago. Another program can take it before the agent does: then the start is
// repeated.
std::uint16_t free_port() {
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (!fd || ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return 0;
  }
  return ntohs(address.sin_port);
}

// The name in kAgentArchs of this machine.
std::string_view machine_arch() {
  utsname name{};
  ::uname(&name);
  const std::string_view machine(name.machine);
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  if (machine.starts_with("armv7") || machine.starts_with("armv8")) return "armv7";
  return machine.starts_with("arm") ? "armv5" : "";
}

struct Program {
  base::Fd fd;          // open for fexecve, or
  std::string path;     // a file to execute
  bool remove = false;  // `path` is a temporary file of ours
};

base::Result<Program> from_memory(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Program out;
  out.fd = base::Fd(::memfd_create("mikroscope-agent", MFD_CLOEXEC));
  if (out.fd && base::write_all(out.fd.get(), text, "the agent in memory").ok()) return out;
  const char* const dir = std::getenv("TMPDIR");
  out.path = fmt::format("{}/mikroscope-agent.XXXXXX", dir != nullptr && *dir != '\0' ? dir : "/tmp");
  out.remove = true;
  out.fd = base::Fd(::mkostemp(out.path.data(), O_CLOEXEC));
  if (!out.fd) return base::file_error("cannot create", out.path, errno);
  base::Result<void> written = base::write_all(out.fd.get(), text, out.path);
  if (written.ok() && ::fchmod(out.fd.get(), 0700) != 0)
    written = base::file_error("cannot make executable", out.path, errno);
  out.fd.reset();  // a file open for writing cannot be executed
  if (!written.ok()) {
    ::unlink(out.path.c_str());
    return written.error();
  }
  return out;
}

base::Result<Program> find_program() {
  const char* const given = std::getenv("MIKROSCOPE_AGENT");
  if (given != nullptr && *given != '\0') {
    if (::access(given, X_OK) != 0) return base::file_error("MIKROSCOPE_AGENT: cannot execute", given, errno);
    return Program{base::Fd(), given, false};
  }
  const std::span<const std::byte> embedded = embedded_agent(machine_arch());
  if (!embedded.empty()) return from_memory(embedded);
  char self[4096];
  const ssize_t n = ::readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) {
    const std::string beside =
        base::directory_of(std::string(self, static_cast<std::size_t>(n))) + "/mikroscope-agent";
    if (::access(beside.c_str(), X_OK) == 0) return Program{base::Fd(), beside, false};
  }
  return base::Error{"this build carries no agent for this machine, and none lies beside the program",
                     "set MIKROSCOPE_AGENT=/path/to/mikroscope-agent", base::Exit::failed};
}

}  // namespace

base::Result<std::unique_ptr<LocalAgent>> LocalAgent::start(const LocalAgentOptions& options) {
  base::Error last{"no free port on the loopback interface", "", base::Exit::failed};
  for (int i = 0; i < kPortTries; ++i) {
    std::unique_ptr<LocalAgent> agent(new LocalAgent());
    agent->token_ = random_token();
    if (agent->token_.empty())
      return base::Error{"the kernel gave no random numbers", "", base::Exit::failed};
    const std::uint16_t port = free_port();
    if (port == 0) continue;
    base::Result<void> launched = agent->launch(options, port);
    if (!launched.ok()) return std::move(launched).error();
    const std::int64_t deadline = base::monotonic_ns() + kStartNs;
    while (agent->running() && base::monotonic_ns() < deadline) {
      if (agent->listening()) return agent;
      ::poll(nullptr, 0, 5);
    }
    const bool ended = !agent->running();
    last = {fmt::format("the local agent did not start: {}", agent->why()), "", base::Exit::failed};
    // A bad setting stays bad; only a port that somebody else took meanwhile is worth another try.
    if (!ended || WEXITSTATUS(agent->wait_status_) == 2) break;
  }
  return last;
}

base::Result<void> LocalAgent::launch(const LocalAgentOptions& options, std::uint16_t port) {
  base::Result<Program> program = find_program();
  if (!program.ok()) return std::move(program).error();
  port_ = port;
  log_ = base::Fd(::memfd_create("mikroscope-agent-log", MFD_CLOEXEC));
  std::vector<std::string> env{"ADDR=127.0.0.1", fmt::format("PORT={}", port), "TOKEN=" + token_,
                               fmt::format("RATE_HZ={}", options.rate_hz),
                               fmt::format("BUFFER_S={}", options.buffer_s)};
  for (const auto& [name, value] : options.env) {
    const std::string prefix = name + "=";
    std::erase_if(env, [&prefix](const std::string& e) { return e.starts_with(prefix); });
    env.push_back(prefix + value);
    std::uint64_t given = 0;
    if (name == "TOKEN") token_ = value;
    if (name == "PORT" && base::parse_u64(value, given) && given <= UINT16_MAX)
      port_ = static_cast<std::uint16_t>(given);
  }
  std::vector<char*> envp;
  for (std::string& e : env) envp.push_back(e.data());
  envp.push_back(nullptr);
  char name[] = "mikroscope-agent";
  char* const argv[] = {name, nullptr};
  const base::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    return base::Error{fmt::format("cannot start the local agent: {}", std::strerror(errno)), "",
                       base::Exit::failed};
  if (pid == 0) {
    // Async-signal-safe calls only.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // the parent was gone before the line above
    ::setpgid(0, 0);  // Ctrl-C is for the recorder, which drains the agent before it ends it
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU}) ::signal(number, SIG_DFL);
    ::dup2(null.get(), 0);
    ::dup2(log_.get(), 1);
    ::dup2(log_.get(), 2);
    if (program->fd) {
      ::fexecve(program->fd.get(), argv, envp.data());
    } else {
      ::execve(program->path.c_str(), argv, envp.data());
    }
    const char* const why = std::strerror(errno);
    (void)!::write(2, why, std::strlen(why));
    ::_exit(126);
  }
  pid_ = pid;
  if (program->remove) {
    // It may go as soon as it was executed, which the first output or the listening port proves; a moment is
    // enough.
    const std::int64_t deadline = base::monotonic_ns() + kStartNs;
    while (running() && !listening() && base::monotonic_ns() < deadline) ::poll(nullptr, 0, 5);
    ::unlink(program->path.c_str());
  }
  return {};
}

bool LocalAgent::listening() const {
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return fd && ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

bool LocalAgent::running() {
  if (pid_ <= 0) return false;
  const pid_t got = ::waitpid(pid_, &wait_status_, WNOHANG);
  if (got == 0) return true;
  pid_ = -1;
  return false;
}

std::string LocalAgent::output() const {
  char buffer[2048];
  const ssize_t n = ::pread(log_.get(), buffer, sizeof buffer, 0);
  std::string text(base::trim(std::string_view(buffer, n > 0 ? static_cast<std::size_t>(n) : 0)));
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

std::string LocalAgent::why() const {
  std::string said = output();
  constexpr std::string_view kPrefix = "mikroscope-agent: ";
  if (said.starts_with(kPrefix)) said.erase(0, kPrefix.size());
  if (pid_ > 0) return said.empty() ? "it does not listen" : said;
  const std::string end = WIFSIGNALED(wait_status_)
                              ? fmt::format("it was ended by signal {}", WTERMSIG(wait_status_))
                              : fmt::format("it ended with code {}", WEXITSTATUS(wait_status_));
  return said.empty() ? end : said;
}

std::string LocalAgent::url() const {
  return fmt::format("http://127.0.0.1:{}", port_);
}

LocalAgent::~LocalAgent() {
  if (!running()) return;
  ::kill(pid_, SIGTERM);
  const std::int64_t deadline = base::monotonic_ns() + kStopNs;
  while (running() && base::monotonic_ns() < deadline) ::poll(nullptr, 0, 5);
  if (!running()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace mikroscope::cli
