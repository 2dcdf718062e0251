// The image as other people's tools see it, and the agent running from it as on a router: a scratch root, no
// devices, a network namespace of its own.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/host/files.h"
#include "process.h"
#include "routeros/image.h"

namespace mikroscope::agents_test {
namespace {

using Json = nlohmann::json;

constexpr std::uint16_t kPort = 9123;  // the agent's default: the namespace is its own

bool write_image(const std::string& arch, const std::string& path) {
  const auto agent = base::read_text(agent_path(arch));
  if (!agent) return false;
  const auto image = routeros::build_image(*routeros::parse_arch(arch), std::as_bytes(std::span(*agent)));
  return image.ok() && base::replace_file(path, *image).ok();
}

class ImageOf : public testing::TestWithParam<std::string> {};

TEST_P(ImageOf, IsReadByOtherTools) {
  for (const char* tool : {"skopeo", "umoci"}) {
    if (!have(tool)) GTEST_SKIP() << tool << " is not installed";
  }
  const std::string arch = GetParam();
  const TempDir dir;
  const std::string tar = dir.path("image.tar");
  if (!write_image(arch, tar)) GTEST_SKIP() << "no " << arch << " agent in this build";

  const RunResult inspected = run({"skopeo", "inspect", "--config", "docker-archive:" + tar});
  ASSERT_TRUE(inspected.ok()) << inspected.output;
  const Json config = Json::parse(inspected.output, nullptr, false);
  EXPECT_EQ(config.value("architecture", ""), arch.starts_with("armv") ? "arm" : arch);
  EXPECT_EQ(config.value("variant", ""), arch.starts_with("armv") ? arch.substr(3) : "");
  EXPECT_EQ(config["config"]["Entrypoint"], Json::array({"/mikroscope-agent"}));

  // With the tag that RouterOS shows; copying checks every hash.
  const RunResult copied = run({"skopeo", "copy", "docker-archive:" + tar + ":mikroscope/agent:local",
                                "oci:" + dir.path("oci") + ":local"});
  ASSERT_TRUE(copied.ok()) << copied.output;
  const RunResult unpacked =
      run({"umoci", "unpack", "--rootless", "--image", dir.path("oci") + ":local", dir.path("bundle")});
  ASSERT_TRUE(unpacked.ok()) << unpacked.output;
  EXPECT_EQ(run({"cmp", agent_path(arch), dir.path("bundle/rootfs/mikroscope-agent")}).output, "");
  EXPECT_EQ(::access(dir.path("bundle/rootfs/mikroscope-agent").c_str(), X_OK), 0);
}

INSTANTIATE_TEST_SUITE_P(Images, ImageOf, testing::Values("amd64", "arm64", "armv7", "armv5"),
                         [](const testing::TestParamInfo<std::string>& arch) { return arch.param; });

// A network namespace with its loopback up, as `ip netns` makes it.
class Netns {
 public:
  Netns() : name_("mikroscope-test-" + std::to_string(::getpid())) {
    up_ = run({"ip", "netns", "add", name_}).ok() && run({"ip", "-n", name_, "link", "set", "lo", "up"}).ok();
  }
  ~Netns() { run({"ip", "netns", "delete", name_}); }
  Netns(const Netns&) = delete;
  Netns& operator=(const Netns&) = delete;

  bool up() const { return up_; }
  std::string path() const { return "/run/netns/" + name_; }
  // Calls `body` on a thread that lives in the namespace.
  template <class Body>
  void inside(Body body) const {
    std::thread thread([&] {
      const base::Fd fd = base::open_read(path().c_str());
      ASSERT_EQ(::setns(fd.get(), CLONE_NEWNET), 0);
      body();
    });
    thread.join();
  }

 private:
  std::string name_;
  bool up_ = false;
};

TEST(Container, RunsFromAScratchImageInItsOwnNetwork) {
  for (const char* tool : {"skopeo", "umoci", "runc", "ip"}) {
    if (!have(tool)) GTEST_SKIP() << tool << " is not installed";
  }
  if (::geteuid() != 0) GTEST_SKIP() << "only root may make network namespaces";
#ifndef __x86_64__
  GTEST_SKIP() << "this is no amd64 machine";
#endif
  const TempDir dir;
  if (!write_image("amd64", dir.path("image.tar"))) GTEST_SKIP() << "no amd64 agent in this build";
  ASSERT_TRUE(
      run({"skopeo", "copy", "docker-archive:" + dir.path("image.tar"), "oci:" + dir.path("oci") + ":local"})
          .ok());
  ASSERT_TRUE(run({"umoci", "unpack", "--image", dir.path("oci") + ":local", dir.path("bundle")}).ok());
  const Netns network;
  if (!network.up()) GTEST_SKIP() << "this system makes no network namespaces";

  const std::string config_path = dir.path("bundle/config.json");
  Json config = Json::parse(*base::read_text(config_path));
  config["process"]["terminal"] = false;
  config["process"]["env"] = {"RATE_HZ=20", "BUFFER_S=10"};
  for (Json& space : config["linux"]["namespaces"]) {
    if (space["type"] == "network") space["path"] = network.path();
  }
  ASSERT_TRUE(base::replace_file(config_path, config.dump()));
  // The image holds the agent and nothing else: what else is there, a container run-time put there.
  for (const auto& entry : std::filesystem::directory_iterator(dir.path("bundle/rootfs"))) {
    EXPECT_EQ(entry.path().filename(), "mikroscope-agent");
  }

  const std::string name = "mikroscope-test-" + std::to_string(::getpid());
  const std::vector<std::string> runc = {"runc", "--root", dir.path("state")};
  const auto with = [&runc](std::vector<std::string> more) {
    more.insert(more.begin(), runc.begin(), runc.end());
    return more;
  };
  Process container(with({"run", "--bundle", dir.path("bundle"), name}));
  network.inside([&] {
    EXPECT_NE(http_get_until(kPort, "/healthz", "{", 15'000), "") << container.output();
    const std::string samples = http_get_until(kPort, "/samples?since=oldest&max=20", "\"seq\":3,", 15'000);
    EXPECT_NE(samples.find("\"cpu\":[{"), std::string::npos) << samples;
  });
  EXPECT_EQ(http_get(kPort, "/healthz"), "") << "the agent is reachable outside its namespace";
  // As PID 1 of its namespace it gets no default action: it must handle the signal itself.
  EXPECT_TRUE(run(with({"kill", name, "TERM"})).ok());
  const auto exited = container.wait(10'000);
  EXPECT_TRUE(exited.has_value()) << "still running 10 s after SIGTERM";
  EXPECT_EQ(exited.value_or(Exited{true, -1}).code, 0) << container.output();
  run(with({"delete", "--force", name}));
}

}  // namespace
}  // namespace mikroscope::agents_test
