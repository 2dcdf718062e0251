// The double runs the agent that was installed: on loopback, under emulation, and behind a real firewall.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/routersim/fetch.h"
#include "tests/routersim/spawn.h"
#include "tests/routersim/test/support.h"

namespace mikroscope::routersim {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The image of this build's agent; "" when the build has none.
std::string agent_image(const std::string& name, routeros::Arch arch) {
  const std::string program =
      read_file(std::string(MIKROSCOPE_BINARY_DIR) + "/agents/" + name + "/mikroscope-agent");
  if (program.empty()) return "";
  auto image = routeros::build_image(arch, std::as_bytes(std::span(program)));
  return image ? *image : "";
}

bool have(const std::string& tool) {
  return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
}

// A router of its own time, driven as an installation drives it.
struct Installed {
  Installed(Config config, const std::string& image, const std::string& address, const std::string& port)
      : router(config) {
    std::string gateway = address;
    gateway.back() = '1';
    run("/interface/veth/add",
        {{"name", "veth1"}, {"address", address + "/30"}, {"gateway", gateway}, {"comment", "mark"}});
    run("/ip/address/add", {{"address", gateway + "/30"}, {"interface", "veth1"}});
    for (const auto& [key, value] :
         Attributes{{"ADDR", address}, {"PORT", port}, {"TOKEN", "sesame"}, {"RATE_HZ", "50"}})
      run("/container/envs/add", {{"list", "e"}, {"key", key}, {"value", value}});
    const auto upload = router.upload("agent.tar");
    EXPECT_TRUE(upload->append(image));
    upload->commit();
    run("/container/add", {{"file", "agent.tar"},
                           {"interface", "veth1"},
                           {"root-dir", "box"},
                           {"envlists", "e"},
                           {"logging", "yes"},
                           {"dns", "192.0.2.1"},
                           {"ignore-remote-image-change", "yes"},
                           {"comment", "mark"}});
    wait("stopped");
    run("/container/start", {{".id", "*1"}});
    wait("running");
  }
  Outcome run(const std::string& command, Attributes attributes) {
    const std::size_t slash = command.rfind('/');
    Request request{
        command.substr(0, slash), command.substr(slash + 1), std::move(attributes), {}, {}, nullptr};
    Outcome outcome = router.execute(everything(), request);
    return outcome;
  }
  bool wait(const std::string& flag) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto rows = router.rows("/container");
      if (!rows.empty() && rows[0].flag(flag)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::string log;
    for (const LogLine& line : router.log_lines()) log += line.message + "\n";
    ADD_FAILURE() << "never " << flag << "\n" << log;
    return false;
  }
  // The router's own request, repeated until the agent is up. "" when it never answered.
  std::string fetch(const std::string& url, const std::string& headers = {}) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    std::string last;
    while (std::chrono::steady_clock::now() < deadline) {
      const Outcome outcome =
          run("/tool/fetch", {{"url", url}, {"output", "user"}, {"http-header-field", headers}});
      if (outcome.ok()) return outcome.rows.at(0).text("data");
      last = outcome.traps.front().message;
      if (last.find("Status") != std::string::npos) return last;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return "(" + last + ")";
  }

  Router router;
};

TEST(Run, TheInstalledAgentAnswersOnLoopback) {
  const std::string image = agent_image("amd64", routeros::Arch::amd64);
  if (image.empty()) GTEST_SKIP() << "the amd64 agent was not built (MIKROSCOPE_EMBED_AGENTS)";
  // A network of 127/8 is used as it is configured.
  Installed box({.arch = "x86_64", .timing = {.extract = 10, .start = 10}, .run = RunMode::loopback}, image,
                "127.30.10.2", "19123");
  EXPECT_EQ(box.router.agent_at("mark"), "127.30.10.2:19123");
  EXPECT_NE(box.fetch("http://127.30.10.2:19123/healthz").find("\"ok\""), std::string::npos);
  EXPECT_EQ(box.fetch("http://127.30.10.2:19123/capabilities").substr(0, 19), "failure: Status 401");
  EXPECT_NE(box.fetch("http://127.30.10.2:19123/capabilities", "Authorization: Bearer sesame").find("{"),
            std::string::npos);
  box.run("/container/stop", {{".id", "*1"}});
  box.wait("stopped");
  EXPECT_EQ(box.router.agent_at("mark"), "");
  for (const LogLine& line : box.router.log_lines())
    EXPECT_EQ(line.message.find("not caught"), std::string::npos) << line.message;
}

TEST(Run, AnotherArchitectureRunsUnderEmulation) {
  const std::string image = agent_image("arm64", routeros::Arch::arm64);
  if (image.empty()) GTEST_SKIP() << "the arm64 agent was not built (MIKROSCOPE_EMBED_AGENTS)";
  if (!have("qemu-aarch64-static")) GTEST_SKIP() << "qemu-user-static is not installed";
  Installed box({.arch = "arm64", .timing = {.extract = 10, .start = 10}, .run = RunMode::loopback}, image,
                "172.30.10.2", "9123");
  EXPECT_EQ(box.router.agent_at("172.30.10.2").substr(0, 10), "127.0.0.1:");
  EXPECT_NE(box.fetch("http://172.30.10.2:9123/healthz").find("\"ok\""), std::string::npos);
}

TEST(Run, AKilledAgentIsStartedAgain) {
  const std::string image = agent_image("amd64", routeros::Arch::amd64);
  if (image.empty()) GTEST_SKIP() << "the amd64 agent was not built (MIKROSCOPE_EMBED_AGENTS)";
  Installed box({.arch = "x86_64", .timing = {.extract = 10, .start = 10}, .run = RunMode::loopback}, image,
                "127.30.10.6", "19124");
  box.run("/container/set", {{".id", "*1"}, {"restart-policy", "on-failure"}, {"restart-interval", "100ms"}});
  box.run("/container/kill", {{".id", "*1"}});
  box.wait("stopped");
  box.wait("running");
  EXPECT_EQ(box.router.rows("/container").at(0).text("restart-count"), "1");
}

// What somebody in the network namespace of `pid` gets: the body, or "" when nobody answers within 1.5 s.
std::string from_network(int pid, const std::string& url) {
  FetchReply reply;
  in_network_of(pid, [&] { reply = http_fetch({.url = url, .idle_ms = 1000, .connect_ms = 1500}); });
  return reply.body;
}

// Whether an echo request from the namespace of `pid` is answered within 2 s.
bool pings(int pid, const char* address) {
  bool answered = false;
  in_network_of(pid, [&] {
    const int fd = ::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    inet_pton(AF_INET, address, &to.sin_addr);
    // Type 8, code 0, checksum ~0x0801, identifier 0, sequence 1.
    const unsigned char echo[8] = {8, 0, 0xF7, 0xFE, 0, 0, 0, 1};
    ::sendto(fd, echo, sizeof echo, 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
    pollfd waiting{fd, POLLIN, 0};
    unsigned char reply[128];
    while (!answered && ::poll(&waiting, 1, 2000) > 0) {
      const ssize_t got = ::recv(fd, reply, sizeof reply, 0);
      answered = got >= 28 && reply[20] == 0;  // behind the IP header: an echo reply
    }
    ::close(fd);
  });
  return answered;
}

TEST(Run, TheTrapsOfTheAdvancedFirewallAreReal) {
  if (::geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  if (!have("ip") || !have("nft") || !have("nsenter"))
    GTEST_SKIP() << "ip, nft and nsenter are not all installed";
  const std::string image = agent_image("amd64", routeros::Arch::amd64);
  if (image.empty()) GTEST_SKIP() << "the amd64 agent was not built (MIKROSCOPE_EMBED_AGENTS)";
  Installed box({.arch = "x86_64",
                 .presets = {"home", "advanced"},
                 .timing = {.extract = 10, .start = 10},
                 .run = RunMode::netns},
                image, "172.30.10.2", "9123");
  ASSERT_EQ(box.router.trouble(), "");
  const std::string url = "http://172.30.10.2:9123/healthz";
  EXPECT_EQ(from_network(box.router.lan_pid(), url), "") << "the veth is in no interface list";
  EXPECT_TRUE(pings(box.router.lan_pid(), "172.30.10.2")) << "and yet it answers a ping";
  box.run("/interface/list/member/add", {{"list", "LAN"}, {"interface", "veth1"}});
  EXPECT_EQ(from_network(box.router.lan_pid(), url), "") << "its address is in no address list";
  box.run("/ip/firewall/address-list/add", {{"list", "LANs"}, {"address", "172.30.10.0/30"}});
  EXPECT_NE(from_network(box.router.lan_pid(), url).find("\"ok\""), std::string::npos);
  EXPECT_NE(box.fetch(url).find("\"ok\""), std::string::npos) << "the relay's way";
  box.run("/container/stop", {{".id", "*1"}});
  box.wait("stopped");
  for (const LogLine& line : box.router.log_lines())
    EXPECT_EQ(line.message.find("not caught"), std::string::npos) << line.message;
}

TEST(Run, AnExposedPortIsReachedFromTheLanAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  if (!have("ip") || !have("nft") || !have("nsenter"))
    GTEST_SKIP() << "ip, nft and nsenter are not all installed";
  const std::string image = agent_image("amd64", routeros::Arch::amd64);
  if (image.empty()) GTEST_SKIP() << "the amd64 agent was not built (MIKROSCOPE_EMBED_AGENTS)";
  Installed box({.arch = "x86_64", .timing = {.extract = 10, .start = 10}, .run = RunMode::netns}, image,
                "172.30.10.2", "9123");
  ASSERT_EQ(box.router.trouble(), "");
  EXPECT_NE(box.fetch("http://172.30.10.2:9123/healthz").find("\"ok\""), std::string::npos);
  const std::string url = "http://192.168.88.1:9123/healthz";
  EXPECT_EQ(from_network(box.router.lan_pid(), url), "");
  box.run("/ip/firewall/nat/add", {{"chain", "dstnat"},
                                   {"dst-address", "192.168.88.1"},
                                   {"protocol", "tcp"},
                                   {"dst-port", "9123"},
                                   {"action", "dst-nat"},
                                   {"to-addresses", "172.30.10.2"},
                                   {"to-ports", "9123"}});
  EXPECT_NE(from_network(box.router.lan_pid(), url).find("\"ok\""), std::string::npos);
  EXPECT_EQ(from_network(box.router.wan_pid(), "http://198.51.100.10:9123/healthz"), "");
}

}  // namespace
}  // namespace mikroscope::routersim
