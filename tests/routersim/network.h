// The router's network where it is more than pretended: namespaces, veths and nftables (RunMode::netns).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace mikroscope::routersim {

struct State;

class Network {
 public:
  virtual ~Network() = default;
  // Runs `work` in the router's network namespace.
  virtual void in_router(const std::function<void()>& work) const { work(); }
  // The veth `name` gets its other end in the namespace of process `pid`. An error in words, or nothing.
  virtual std::optional<std::string> attach(const State&, const std::string& /*name*/, int /*pid*/) {
    return std::nullopt;
  }
  virtual void detach(const std::string& /*name*/) {}
  // Rules, lists or addresses changed.
  virtual void refresh(const State&) {}
  virtual int router_pid() const { return 0; }
  virtual int lan_pid() const { return 0; }
  virtual int wan_pid() const { return 0; }
  // "" when it came up; what failed otherwise.
  virtual std::string trouble() const { return ""; }
};

// For config.run.
std::unique_ptr<Network> make_network(const State& state);

}  // namespace mikroscope::routersim
