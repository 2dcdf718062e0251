// OpenSSH's sshd on loopback with a script in the place of a router's console.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "routeros/ssh/connect.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::routeros::test {

// Trust in memory.
class MemoryTrust final : public TrustStore {
 public:
  base::Result<std::optional<std::string>> lookup(KeyKind kind, const std::string& host,
                                                  int port) const override;
  base::Result<void> remember(KeyKind kind, const std::string& host, int port,
                              const std::string& fingerprint) override;
  std::string only() const { return keys_.size() == 1 ? keys_.begin()->second : ""; }

 private:
  std::map<std::string, std::string> keys_;
};

class Sshd {
 public:
  // False when this machine has no sshd: GTEST_SKIP.
  static bool present();

  struct Options {
    std::string host_key = "ed25519";  // type, as ssh-keygen -t takes it
    std::string user_key = "ed25519";
    std::vector<std::string> config;  // more lines of sshd_config
    bool sftp = true;                 // the subsystem exists
  };
  // `console` is a shell script's body: $c is the command, $n its nonce, say prints a line as the router
  // does.
  Sshd(const std::string& console, const Options& options);
  explicit Sshd(const std::string& console);
  ~Sshd();
  Sshd(const Sshd&) = delete;
  Sshd& operator=(const Sshd&) = delete;

  // For the account that runs the test, with the key that the server knows.
  SshTarget target();
  base::Result<std::unique_ptr<Session>> connect() { return connect_ssh(target()); }
  // Makes a new host key of that type and starts again on the same port.
  void change_host_key(const std::string& type);
  // The fingerprint of the host key by ssh-keygen.
  std::string fingerprint() const;

  // The commands that arrived, in order.
  std::vector<std::string> commands() const;
  std::string file(const std::string& name) const { return dir_ / ("files/" + name); }
  std::string path(const std::string& name) const { return dir_ / name; }
  std::string log() const { return mikroscope::test::slurp(dir_ / "sshd.log"); }
  MemoryTrust& trust() { return trust_; }

 private:
  void start();
  void stop();

  mikroscope::test::TempDir dir_;
  Options options_;
  int port_ = 0;
  pid_t pid_ = -1;
  MemoryTrust trust_;
};

// Runs a program to its end and returns what it printed.
std::string output_of(const std::vector<std::string>& argv);

// Beginning of a console script: answers the question for the version; other commands go on below it.
extern const char* const kVersion;

// For messages of failed expectations.
std::string what(const base::Result<std::unique_ptr<Session>>& session);
template <class T>
std::string trouble(const Answer<T>& answer) {
  if (answer) return "(no trouble)";
  if (const DeviceError* error = device_error(answer.error())) return "device: " + error->message;
  return "lost: " + std::get<LostConnection>(answer.error()).what;
}
inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::int64_t ms_of(const std::function<void()>& doing);

}  // namespace mikroscope::routeros::test

#define NEEDS_SSHD() \
  if (!mikroscope::routeros::test::Sshd::present()) GTEST_SKIP() << "openssh-server is not installed"
