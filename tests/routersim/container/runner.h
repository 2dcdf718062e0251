// Starts and ends what a container runs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "routeros/image.h"

namespace mikroscope::routersim {

struct State;

struct RunSpec {
  std::string id;
  std::string program;  // the bytes of the entry point
  routeros::Arch arch = routeros::Arch::arm64;
  std::vector<std::string> env;  // "NAME=VALUE", exactly what the env list holds
  std::string veth;
  std::string address;  // "172.30.10.2/30", of the veth
  std::string gateway;
  bool privileged = false;
};

struct Exited {
  bool signalled = false;
  int code = 0;  // exit status, or the signal's number
};

class Runner {
 public:
  virtual ~Runner() = default;
  // "" or what went wrong, in words.
  virtual std::string start(const State& state, const RunSpec& spec) = 0;
  // Once it has ended. What it printed since the last call is in `lines`.
  virtual std::optional<Exited> poll(const std::string& id, std::vector<std::string>& lines) = 0;
  virtual void signal(const std::string& id, int number) = 0;
  // "127.0.0.1:40123" while it runs; "" where it cannot be reached.
  virtual std::string where(const std::string& id) const = 0;
};

// For state.config.run.
std::unique_ptr<Runner> make_runner(const State& state);

}  // namespace mikroscope::routersim
