#include "process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace mikroscope::agents_test {
namespace {

using SteadyClock = std::chrono::steady_clock;

SteadyClock::time_point after_ms(int ms) {
  return SteadyClock::now() + std::chrono::milliseconds(ms);
}

// Between two looks at something that is awaited.
void pause_briefly() {
  ::poll(nullptr, 0, 20);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, const std::vector<std::string>& env)
    : log_(::memfd_create("output", MFD_CLOEXEC)) {
  std::vector<std::string> arguments = argv;
  std::vector<std::string> environment = env;
  for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(log_.get(), 1);
  ::dup2(log_.get(), 2);
  ::execvpe(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
  ::_exit(127);
}

Process::~Process() {
  if (exited_ || pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  wait(5000);
}

void Process::signal(int number) const {
  if (!exited_) ::kill(pid_, number);
}

std::optional<Exited> Process::wait(int timeout_ms) {
  const auto deadline = after_ms(timeout_ms);
  while (!exited_) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      const bool signalled = WIFSIGNALED(status);
      exited_ = Exited{signalled, signalled ? WTERMSIG(status) : WEXITSTATUS(status)};
    } else if (SteadyClock::now() > deadline) {
      return std::nullopt;
    } else {
      pause_briefly();
    }
  }
  return exited_;
}

std::string Process::output() const {
  std::string text;
  char buffer[4096];
  off_t at = 0;
  for (ssize_t got = 0; (got = ::pread(log_.get(), buffer, sizeof buffer, at)) > 0; at += got) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

RunResult run(const std::vector<std::string>& argv, const std::vector<std::string>& env) {
  Process process(argv, env);
  const std::optional<Exited> exited = process.wait(60'000);
  return {exited.value_or(Exited{true, SIGALRM}), process.output()};
}

bool have(const std::string& tool) {
  const char* const path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "/usr/sbin:/usr/bin";
  rest += ":/usr/sbin:/sbin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (::access((rest.substr(0, colon) + "/" + tool).c_str(), X_OK) == 0) return true;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return false;
}

std::uint16_t free_port() {
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

std::string http_get(std::uint16_t port, const std::string& path, const std::string& headers) {
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  const timeval timeout{5, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  const std::string request =
      "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n";
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    return {};
  std::string reply;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::recv(fd.get(), buffer, sizeof buffer, 0)) > 0;) {
    reply.append(buffer, static_cast<std::size_t>(got));
  }
  const std::size_t head = reply.find("\r\n\r\n");
  if (!reply.starts_with("HTTP/1.1 200") || head == std::string::npos) return {};
  if (reply.find("\r\nTransfer-Encoding: chunked\r\n") > head) return reply.substr(head + 4);
  std::string body;
  for (std::size_t at = head + 4; at < reply.size();) {
    const std::size_t line = reply.find("\r\n", at);
    const std::size_t size = std::strtoul(reply.c_str() + at, nullptr, 16);
    if (size == 0 || line == std::string::npos) break;
    body += reply.substr(line + 2, size);
    at = line + 2 + size + 2;
  }
  return body;
}

std::string http_get_until(std::uint16_t port, const std::string& path, const std::string& wanted,
                           int timeout_ms) {
  const auto deadline = after_ms(timeout_ms);
  std::string body;
  do {
    body = http_get(port, path);
    if (body.find(wanted) != std::string::npos) break;
    pause_briefly();
  } while (SteadyClock::now() < deadline);
  return body;
}

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "mikroscope-test-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string agent_path(std::string_view arch) {
  return std::string(MIKROSCOPE_BINARY_DIR "/agents/") + std::string(arch) + "/mikroscope-agent";
}

}  // namespace mikroscope::agents_test
