#include "tests/routeros/ssh/sshd.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/file.h"

extern char** environ;

namespace mikroscope::routeros::test {
namespace {

using mikroscope::test::slurp;
using mikroscope::test::spill;

constexpr const char* kSshd = "/usr/sbin/sshd";
constexpr const char* kSftpServer = "/usr/lib/openssh/sftp-server";

std::string user_name() {
  const passwd* const entry = ::getpwuid(::getuid());
  return entry == nullptr ? "root" : entry->pw_name;
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int free_port() {
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  ::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool listens(int port) {
  const base::Fd fd(::socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

pid_t spawn(const std::vector<std::string>& argv, const std::string& out) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t pid = -1;
  if (::posix_spawn(&pid, words[0], &actions, nullptr, words.data(), environ) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&actions);
  return pid;
}

}  // namespace

base::Result<std::optional<std::string>> MemoryTrust::lookup(KeyKind, const std::string& host,
                                                             int port) const {
  const auto found = keys_.find(fmt::format("{} {}", host, port));
  return found == keys_.end() ? std::nullopt : std::optional(found->second);
}

base::Result<void> MemoryTrust::remember(KeyKind, const std::string& host, int port,
                                         const std::string& fingerprint) {
  keys_[fmt::format("{} {}", host, port)] = fingerprint;
  return {};
}

std::string output_of(const std::vector<std::string>& argv) {
  const mikroscope::test::TempDir dir;
  const pid_t pid = spawn(argv, dir / "out");
  int status = 0;
  if (pid > 0) ::waitpid(pid, &status, 0);
  return slurp(dir / "out");
}

const char* const kVersion =
    R"sh(case "$c" in *'/system/resource/get version'*) say "OK:$n 7.24.2 (stable)"; exit 1 ;; esac
)sh";

std::string what(const base::Result<std::unique_ptr<Session>>& session) {
  return session ? "(connected)" : session.error().what + " | " + session.error().fix;
}

std::int64_t ms_of(const std::function<void()>& doing) {
  const auto start = std::chrono::steady_clock::now();
  doing();
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)
      .count();
}

bool Sshd::present() {
  return ::access(kSshd, X_OK) == 0 && ::access("/usr/bin/ssh-keygen", X_OK) == 0 &&
         ::access(kSftpServer, X_OK) == 0;
}

Sshd::Sshd(const std::string& console) : Sshd(console, Options()) {}

Sshd::Sshd(const std::string& console, const Options& options) : options_(options), port_(free_port()) {
  // The router's side of the test is a shell: what it prints is what a router would.
  spill(dir_ / "console", fmt::format(R"(#!/bin/sh
c="$SSH_ORIGINAL_COMMAND"
case "$c" in
  internal-sftp|*sftp-server*) cd '{0}/files' && exec {1} -d '{0}/files' ;;
esac
printf '%s\n' "$c" >> '{0}/commands'
n=$(printf '%s' "$c" | sed -n 's/.*OK:\([0-9a-fx]*\).*/\1/p')
say() {{ printf '%s\r\n' "$1"; }}
{2}
)",
                                      dir_.path(), kSftpServer, console));
  ::chmod((dir_ / "console").c_str(), 0755);
  ::mkdir((dir_ / "files").c_str(), 0755);
  ::mkdir("/run/sshd", 0755);  // sshd insists on it as root
  output_of({"/usr/bin/ssh-keygen", "-q", "-t", options_.user_key, "-N", "", "-f", dir_ / "user_key"});
  // SHLVL: else bash, as a login shell, would run the .bashrc of whoever tests before the script.
  std::string config = fmt::format(
      "Port {0}\nListenAddress 127.0.0.1\nHostKey {1}/host_key\nAuthorizedKeysFile {1}/user_key.pub\n"
      "StrictModes no\nUsePAM no\nPermitRootLogin yes\nPidFile none\nSetEnv SHLVL=2\nLogLevel "
      "VERBOSE\nForceCommand "
      "{1}/console\n",
      port_, dir_.path());
  if (options_.sftp) config += "Subsystem sftp internal-sftp\n";
  for (const std::string& line : options_.config) config += line + "\n";
  spill(dir_ / "config", config);
  change_host_key(options_.host_key);
}

Sshd::~Sshd() {
  stop();
  if (::testing::Test::HasFailure()) fmt::print(stderr, "{}", log());
}

void Sshd::start() {
  pid_ = spawn({kSshd, "-D", "-e", "-f", dir_ / "config"}, dir_ / "sshd.log");
  const std::int64_t deadline_ns = base::monotonic_ns() + 10 * base::kNsPerSecond;
  while (!listens(port_)) {
    if (base::monotonic_ns() >= deadline_ns) {
      ADD_FAILURE() << "sshd did not start: " << log();
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Sshd::stop() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGTERM);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
}

void Sshd::change_host_key(const std::string& type) {
  stop();
  ::unlink((dir_ / "host_key").c_str());
  output_of({"/usr/bin/ssh-keygen", "-q", "-t", type, "-N", "", "-f", dir_ / "host_key"});
  start();
}

std::string Sshd::fingerprint() const {
  const std::string line = output_of({"/usr/bin/ssh-keygen", "-l", "-f", dir_ / "host_key.pub"});
  const std::size_t begin = line.find("SHA256:");
  return begin == std::string::npos ? line : line.substr(begin, line.find(' ', begin) - begin);
}

SshTarget Sshd::target() {
  SshTarget target;
  target.host = "127.0.0.1";
  target.port = static_cast<std::uint16_t>(port_);
  target.user = user_name();
  target.key_file = dir_ / "user_key";
  target.use_agent = false;
  target.trust = &trust_;
  return target;
}

std::vector<std::string> Sshd::commands() const {
  return mikroscope::test::lines_of(slurp(dir_ / "commands"));
}

}  // namespace mikroscope::routeros::test
