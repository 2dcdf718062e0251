#include "tests/routersim/netns.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <vector>

#include "tests/routersim/nftables.h"
#include "tests/routersim/spawn.h"
#include "tests/routersim/state.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim {
namespace {

// Holds a network namespace until it is killed, which also happens when its parent dies.
int hold_namespace(void* /*unused*/) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execlp("sleep", "sleep", "infinity", static_cast<char*>(nullptr));
  ::_exit(127);
}

class Namespaces final : public Network {
 public:
  explicit Namespaces(const State& state) : host_route_(state.config.host_route) {
    spawner_.run([this] {
      router_ = hold();
      wan_ = hold();
      if (!host_route_) lan_ = hold();
    });
    if (router_ < 0 || lan_ < 0 || wan_ < 0) {
      trouble_ = "network namespaces need root (CAP_SYS_ADMIN)";
      return;
    }
    wire_up(state);
  }
  ~Namespaces() override {
    for (const pid_t pid : {router_, lan_, wan_}) {
      if (pid <= 0) continue;
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  void in_router(const std::function<void()>& work) const override { in_network_of(router_, work); }
  std::optional<std::string> attach(const State& state, const std::string& name, int pid) override;
  void detach(const std::string& name) override { static_cast<void>(ip(router_, {"link", "del", name})); }
  void refresh(const State& state) override;
  int router_pid() const override { return router_; }
  int lan_pid() const override { return lan_; }
  int wan_pid() const override { return wan_; }
  std::string trouble() const override { return trouble_; }

 private:
  pid_t hold() {
    std::vector<char> stack(64 * 1024);
    return ::clone(hold_namespace, stack.data() + stack.size(), SIGCHLD | CLONE_NEWNET, nullptr);
  }
  // `ip` in the namespace of a process; 0 is the caller's own.
  static std::string ip(pid_t where, std::vector<std::string> words) {
    std::vector<std::string> argv;
    if (where > 0) argv = {"nsenter", fmt::format("--net=/proc/{}/ns/net", where)};
    argv.push_back("ip");
    argv.insert(argv.end(), words.begin(), words.end());
    return run_tool(argv);
  }
  void must(const std::string& failed) {
    if (trouble_.empty()) trouble_ = failed;
  }
  void wire_up(const State& state);
  std::string addresses(const State& state) const;

  bool host_route_;
  pid_t router_ = -1;
  pid_t lan_ = 0;  // 0: the caller's own
  pid_t wan_ = -1;
  std::string trouble_;
  std::string rules_;
  std::set<std::string> given_;  // "address interface" that the kernel has
  Spawner spawner_;
};

void Namespaces::wire_up(const State&) {
  const std::string lan_end = host_route_ ? fmt::format("mkr{}", router_) : "eth0";
  in_router([] { std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1"; });
  must(ip(router_, {"link", "set", "lo", "up"}));
  must(ip(router_, {"link", "add", "bridge", "type", "veth", "peer", "name", lan_end, "netns",
                    std::to_string(host_route_ ? ::getpid() : lan_)}));
  must(ip(router_, {"link", "set", "bridge", "up"}));
  // The uplink, and the provider at its other end.
  must(ip(router_,
          {"link", "add", "ether1", "type", "veth", "peer", "name", "eth0", "netns", std::to_string(wan_)}));
  must(ip(wan_, {"addr", "add", "198.51.100.1/24", "dev", "eth0"}));
  must(ip(wan_, {"link", "set", "eth0", "up"}));
  must(ip(router_, {"addr", "add", "198.51.100.10/24", "dev", "ether1"}));
  must(ip(router_, {"link", "set", "ether1", "up"}));
  must(ip(router_, {"route", "add", "default", "via", "198.51.100.1", "dev", "ether1"}));
  must(ip(lan_, {"addr", "add", "192.168.88.10/24", "dev", lan_end}));
  must(ip(lan_, {"link", "set", lan_end, "up"}));
  if (host_route_) return;
  must(ip(lan_, {"link", "set", "lo", "up"}));
  must(ip(router_, {"addr", "add", "192.168.88.1/24", "dev", "bridge"}));
  given_.insert("192.168.88.1/24 bridge");
  must(ip(lan_, {"route", "add", "default", "via", "192.168.88.1"}));
}

std::optional<std::string> Namespaces::attach(const State& state, const std::string& name, int pid) {
  const Row* veth = state.interface(name);
  if (veth == nullptr) return "no such veth";
  // The container's end has the veth's name from 7.20 on.
  const std::string inside = state.at_least("7.20") ? name.substr(0, 15) : "eth0";
  static_cast<void>(ip(router_, {"link", "del", name}));
  std::erase_if(given_, [&](const std::string& one) { return one.substr(one.find(' ') + 1) == name; });
  std::vector<std::string> failures = {
      ip(router_,
         {"link", "add", name, "type", "veth", "peer", "name", inside, "netns", std::to_string(pid)}),
      ip(router_, {"link", "set", name, "up"}),
      ip(pid, {"link", "set", "lo", "up"}),
      ip(pid, {"link", "set", inside, "up"}),
  };
  const std::string list = veth->text("address");
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    failures.push_back(ip(pid, {"addr", "add", list.substr(at, comma - at), "dev", inside}));
    at = comma + 1;
  }
  if (!veth->text("gateway").empty())
    failures.push_back(ip(pid, {"route", "add", "default", "via", veth->text("gateway"), "dev", inside}));
  for (const std::string& failure : failures) {
    if (!failure.empty()) return failure;
  }
  rules_.clear();
  refresh(state);
  return std::nullopt;
}

void Namespaces::refresh(const State& state) {
  if (!trouble_.empty() || state.menus == nullptr) return;
  std::set<std::string> wanted;
  for (const Row& row : state.table("/ip/address").rows) {
    const std::string interface = row.text("interface");
    const bool here =
        interface == "bridge" || (state.interface(interface) != nullptr && state.running(interface));
    const bool veth_gone = state.interface(interface) == nullptr;
    if (here && !veth_gone && !row.flag("disabled")) wanted.insert(row.text("address") + " " + interface);
  }
  for (const std::string& one : given_) {
    const std::size_t blank = one.find(' ');
    if (!wanted.contains(one))
      static_cast<void>(ip(router_, {"addr", "del", one.substr(0, blank), "dev", one.substr(blank + 1)}));
  }
  for (const std::string& one : wanted) {
    if (given_.contains(one)) continue;
    const std::size_t blank = one.find(' ');
    static_cast<void>(ip(router_, {"addr", "add", one.substr(0, blank), "dev", one.substr(blank + 1)}));
    const auto prefix = parse_prefix(one.substr(0, blank));
    const Row* interface = state.interface(one.substr(blank + 1));
    if (host_route_ && prefix && interface != nullptr && interface->text("type") == "veth")
      static_cast<void>(
          ip(0, {"route", "replace", fmt::format("{}/{}", print_ip(prefix->network()), prefix->length), "via",
                 "192.168.88.1"}));
  }
  given_ = std::move(wanted);
  std::string script = nft_script(state);
  if (script == rules_) return;
  rules_ = std::move(script);
  const std::string failed =
      run_tool({"nsenter", fmt::format("--net=/proc/{}/ns/net", router_), "nft", "-f", "-"}, rules_);
  if (!failed.empty()) std::fprintf(stderr, "mikroscope-routersim: %s\n%s\n", failed.c_str(), rules_.c_str());
}

}  // namespace

std::unique_ptr<Network> make_namespaces(const State& state) {
  return std::make_unique<Namespaces>(state);
}

}  // namespace mikroscope::routersim
