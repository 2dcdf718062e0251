// The RouterOS double as a program of its own, with the CLI pointed at it as a user's would be.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace mikroscope::test {

inline const std::string kPassword = "correct-horse-battery";

// The double with an x86 board. Its containers run on this machine's loopback, or behind the real firewall of
// network namespaces whose LAN is this machine.
enum class Where { loopback, namespaces };

class Double {
 public:
  explicit Double(Where where = Where::loopback, std::string password = kPassword);

  bool ready() const { return ready_; }
  std::string complaint() { return program_->out() + program_->err(); }

  // The answer's lines.
  std::string control(const std::string& line);
  std::string everything() { return control("export") + control("files"); }

  Program::Options options() const;
  // The verb against this router, over the API or over SSH.
  Exited on(std::vector<std::string> arguments) const {
    return run(over_api_line(std::move(arguments)), options(), 60'000);
  }
  Exited over_ssh(std::vector<std::string> arguments) const;
  // The arguments of on(), for a run that is not waited for.
  std::vector<std::string> over_api_line(std::vector<std::string> arguments) const;

  const std::string& ssh_port() const { return ssh_port_; }
  // The path of the image that install uploads here; empty: there is none.
  std::string image() const;

  TempDir directory;

 private:
  std::unique_ptr<Program> program_;
  std::string password_;
  bool ready_ = false;
  std::string address_;
  std::string port_;
  std::string ssh_port_;
  std::string fingerprint_;
  std::size_t read_ = 0;
};

// Skips where neither the CLI carries an agent for the double nor MIKROSCOPE_TEST_IMAGE names one.
class DeployProgram : public testing::Test {
 protected:
  void SetUp() override;
};

}  // namespace mikroscope::test
