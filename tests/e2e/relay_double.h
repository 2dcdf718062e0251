// A RouterOS double with an installation on it, and the agent that the installation would run, as a program
// of this machine. Neither is the router's: there is no container, and no firewall.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "routeros/session/session.h"
#include "tests/support/program.h"

namespace mikroscope::test {

class RelayDouble {
 public:
  struct Settings {
    int rate_hz = 100;
    std::vector<std::string> agent_env;  // NAME=VALUE
    std::vector<std::string> double_flags;
  };
  explicit RelayDouble(Settings settings);
  // Why it could not be started; empty: it runs. "absent: …" where this build has no double.
  const std::string& trouble() const { return trouble_; }

  // Environment of a CLI that talks to it: a home of its own and the password. The agent's token is only on
  // the router.
  Program::Options environment() const;
  // --router and how to get there, without encryption.
  std::vector<std::string> flags() const;
  std::string address() const { return "admin@127.0.0.1"; }
  int api_port() const { return api_port_; }
  const std::string& token() const { return token_; }
  const std::string& password() const { return password_; }
  std::string home() const { return dir_ / "home"; }
  // A session of the test itself.
  std::unique_ptr<routeros::Session> session() const;
  // Lines of the double's log of requests.
  std::vector<std::string> requests() const;
  std::size_t logins() const;  // by the CLI: those of the test itself are not counted

 private:
  bool start_double(const Settings& settings);
  bool start_agent(const Settings& settings);
  bool install();

  TempDir dir_;
  std::string trouble_;
  std::string token_ = "sesame-open-7";
  std::string password_ = "hunter2-of-admin";
  std::unique_ptr<Program> double_;
  std::unique_ptr<Program> agent_;
  int api_port_ = 0;
  int agent_port_ = 0;
  mutable std::size_t own_logins_ = 0;
};

}  // namespace mikroscope::test
