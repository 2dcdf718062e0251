// An agent of our own on this machine, for --local.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/host/result.h"

namespace mikroscope::cli {

struct LocalAgentOptions {
  std::uint32_t rate_hz = 10;
  std::uint32_t buffer_s = 60;
  std::vector<std::pair<std::string, std::string>> env;  // further settings; these win
};

// Runs until it is destroyed. The kernel ends the agent when this process dies, however it dies.
class LocalAgent {
 public:
  // Starts it on a free loopback port with a random token and waits until it listens.
  static base::Result<std::unique_ptr<LocalAgent>> start(const LocalAgentOptions& options);
  ~LocalAgent();
  LocalAgent(const LocalAgent&) = delete;
  LocalAgent& operator=(const LocalAgent&) = delete;

  std::string url() const;
  const std::string& token() const { return token_; }
  pid_t pid() const { return pid_; }
  // False once it has ended; why() then tells.
  bool running();
  std::string why() const;

 private:
  LocalAgent() = default;
  std::string output() const;
  base::Result<void> launch(const LocalAgentOptions& options, std::uint16_t port);
  bool listening() const;

  pid_t pid_ = -1;
  int wait_status_ = 0;
  std::uint16_t port_ = 0;
  std::string token_;
  base::Fd log_;  // what it prints; a memory file, so that it never blocks on a full pipe
};

}  // namespace mikroscope::cli
