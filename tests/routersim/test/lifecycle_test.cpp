// Containers from add to gone, on a clock that the test moves.
#include <gtest/gtest.h>

#include "routeros/ustar.h"
#include "tests/routersim/test/support.h"

namespace mikroscope::routersim {
namespace {

struct Box : Fixture {
  explicit Box(Config config = {}) : Fixture(std::move(config)) {
    add("/interface/veth", {{"name", "veth1"}, {"address", "172.30.10.2/30"}, {"gateway", "172.30.10.1"}});
    add("/ip/address", {{"address", "172.30.10.1/30"}, {"interface", "veth1"}});
    store("agent.tar", fake_image(routeros::Arch::arm64));
  }
  std::string create(Attributes more = {}) {
    Attributes attributes{
        {"file", "agent.tar"}, {"interface", "veth1"}, {"root-dir", "disk/box"}, {"dns", "192.0.2.1"}};
    for (const auto& [name, value] : more) attributes.put(name, value);
    return add("/container", attributes);
  }
  // The state in one word.
  std::string state() {
    const auto rows = print("/container");
    if (rows.empty()) return "gone";
    for (const char* flag : {"downloading/extracting", "stopped", "starting", "running", "stopping",
                             "deleting", "download/extract failed"}) {
      if (rows[0].flag(flag)) return flag;
    }
    return "none";
  }
};

TEST(Lifecycle, FromAddToGone) {
  Box box;
  ASSERT_EQ(box.create(), "*1");
  EXPECT_EQ(box.state(), "downloading/extracting");
  EXPECT_EQ(box.print("/container").at(0).text("root-dir"), "/disk/box");
  EXPECT_EQ(box.refusal("/container/start", {{".id", "*1"}}),
            "failure: cannot start container: still extracting");
  box.advance(300);
  EXPECT_EQ(box.state(), "stopped");
  EXPECT_EQ(box.print("/container").at(0).text("arch"), "arm64");
  EXPECT_EQ(box.print("/container").at(0).text("name"), "agent:local");
  EXPECT_TRUE(box.print("/ip/route", {"?gateway=veth1"}).empty()) << "a veth is down while nothing runs";
  EXPECT_EQ(box.refusal("/container/stop", {{".id", "*1"}}), "failure: container is not running");
  EXPECT_EQ(box.refusal("/container/start", {{".id", "*1"}}), "");
  EXPECT_EQ(box.state(), "starting");
  box.advance(100);
  EXPECT_EQ(box.state(), "running");
  EXPECT_EQ(box.print("/ip/route", {"?gateway=veth1"}).size(), 1u);
  EXPECT_EQ(box.refusal("/container/remove", {{".id", "*1"}}), "failure: cannot remove running container");
  EXPECT_EQ(box.refusal("/interface/veth/remove", {{".id", "veth1"}}),
            "failure: interface is in use by a container");
  EXPECT_EQ(box.refusal("/container/stop", {{".id", "*1"}}), "");
  EXPECT_EQ(box.state(), "stopping");
  EXPECT_EQ(box.refusal("/container/remove", {{".id", "*1"}}), "failure: cannot remove running container");
  box.advance(400);
  EXPECT_EQ(box.state(), "stopped");
  EXPECT_EQ(box.refusal("/container/remove", {{".id", "*1"}}), "");
  EXPECT_EQ(box.state(), "deleting");
  box.advance(300);
  EXPECT_EQ(box.state(), "gone");
  EXPECT_EQ(box.print("/file", {"?name=disk/box"}).size(), 1u) << "root-dir goes later";
  box.advance(300);
  EXPECT_TRUE(box.print("/file", {"?name=disk/box"}).empty());
  for (const char* line : {"extracting tar archived image", "*** download/extract done",
                           "*** started /mikroscope-agent", "*** stopped", "remove done"})
    EXPECT_TRUE(box.logged(line)) << line;
}

TEST(Lifecycle, ABadArchiveFailsAndSaysSo) {
  Box box;
  std::string oci;
  routeros::append_tar_file(oci, "oci-layout", 0644, "{}");
  routeros::append_tar_file(oci, "index.json", 0644, "{}");
  routeros::end_tar(oci);
  box.store("agent.tar", oci);
  box.create();
  box.advance(300);
  EXPECT_EQ(box.state(), "download/extract failed");
  EXPECT_TRUE(box.logged("error: could not find image manifest in archive"));
  EXPECT_EQ(box.refusal("/container/start", {{".id", "*1"}}),
            "failure: cannot start container: download/extract failed");
  EXPECT_EQ(box.refusal("/container/remove", {{".id", "*1"}}), "");
}

struct Mismatch {
  const char* router;
  routeros::Arch image;
  const char* log;  // "" : it runs
};

TEST(Lifecycle, AWrongArchitectureFailsAtTheStart) {
  const Mismatch kCases[] = {
      {"arm64", routeros::Arch::amd64, "exited with status 255: execvp /mikroscope-agent: Exec format error"},
      {"x86_64", routeros::Arch::arm64,
       "exited with status 255: execvp /mikroscope-agent: Exec format error"},
      {"arm", routeros::Arch::armv7, "exited with signal 4 (Illegal instruction)"},
      {"arm", routeros::Arch::armv5, ""},
      {"x86_64", routeros::Arch::amd64, ""},
  };
  for (const Mismatch& one : kCases) {
    Box box({.arch = one.router});
    box.store("agent.tar", fake_image(one.image));
    box.create();
    box.advance(300);
    box.run("/container/start", {{".id", "*1"}});
    box.advance(100);
    EXPECT_EQ(box.state(), *one.log == '\0' ? "running" : "stopped") << one.router;
    if (*one.log != '\0') {
      EXPECT_TRUE(box.logged(one.log)) << one.log;
    }
  }
}

TEST(Lifecycle, WithoutDnsNothingStarts) {
  Box box({.presets = {"bare"}});
  box.create({{"dns", ""}});
  box.advance(300);
  box.run("/container/start", {{".id", "*1"}});
  box.advance(100);
  EXPECT_EQ(box.state(), "stopped");
  EXPECT_TRUE(box.logged("no DNS server"));
}

TEST(Lifecycle, OnFailureItIsTriedSoManyTimes) {
  Box box;
  box.router.set_fault("start-error=exited with status 1");
  box.create({{"restart-policy", "on-failure"}, {"restart-max-count", "3"}, {"restart-interval", "5s"}});
  box.advance(300);
  box.run("/container/start", {{".id", "*1"}});
  box.advance(100);
  for (const int seconds : {5, 10, 15, 20}) {
    EXPECT_EQ(box.state(), "stopped");
    box.advance(5000);
    EXPECT_EQ(box.print("/container").at(0).text("restart-count"), std::to_string(std::min(seconds / 5, 3)));
  }
}

TEST(Lifecycle, ADeletedTarTakesItsContainerAlong) {
  for (const bool ignores : {false, true}) {
    Box box;
    box.create({{"ignore-remote-image-change", ignores ? "yes" : "no"}});
    box.advance(300);
    box.run("/container/start", {{".id", "*1"}});
    box.advance(100);
    EXPECT_EQ(box.refusal("/file/remove", {{".id", "agent.tar"}}), "");
    box.advance(1);
    box.advance(3000);
    box.advance(0);
    EXPECT_EQ(box.state(), ignores ? "running" : "gone");
  }
}

TEST(Lifecycle, AStopThatNobodyCatchesEndsInAKill) {
  Box box({.timing = {.stop = 60'000}});
  box.create();
  box.advance(300);
  box.run("/container/start", {{".id", "*1"}});
  box.advance(100);
  box.run("/container/stop", {{".id", "*1"}});
  box.advance(9'999);
  EXPECT_EQ(box.state(), "stopping");
  box.advance(1);
  box.advance(1);
  EXPECT_EQ(box.state(), "stopped");
  EXPECT_TRUE(box.logged("signal 15 (Terminated) not caught, kill immediately"));
}

TEST(Lifecycle, ASlowStopIsSlow) {
  Box box;
  box.router.set_fault("slow-stop=40000");
  box.create();
  box.advance(300);
  box.run("/container/start", {{".id", "*1"}});
  box.advance(100);
  box.run("/container/stop", {{".id", "*1"}});
  box.advance(39'999);
  EXPECT_EQ(box.state(), "stopping");
  box.advance(1);
  EXPECT_EQ(box.state(), "stopped");
}

TEST(Lifecycle, APullQueuesItsStart) {
  Config config;
  config.registry["registry.example/agent:1"] = testing::TempDir() + "/routersim_pull.tar";
  const std::string image = fake_image(routeros::Arch::arm64);
  std::FILE* out = std::fopen(config.registry.begin()->second.c_str(), "w");
  std::fwrite(image.data(), 1, image.size(), out);
  std::fclose(out);
  Box box(config);
  ASSERT_EQ(
      box.add("/container",
              {{"remote-image", "registry.example/agent:1"}, {"interface", "veth1"}, {"root-dir", "r"}}),
      "*1");
  EXPECT_EQ(box.refusal("/container/start", {{".id", "*1"}}), "");
  box.advance(2000);
  box.advance(100);
  EXPECT_EQ(box.state(), "running");
  EXPECT_EQ(box.print("/container").at(0).text("name"), "agent:1");
  EXPECT_EQ(box.add("/container",
                    {{"remote-image", "registry.example/none:1"}, {"interface", "veth1"}, {"root-dir", "q"}}),
            "*2");
  box.advance(2000);
  EXPECT_TRUE(box.logged("resolving error"));
}

TEST(Lifecycle, ARebootEmptiesTmpfsAndStartsWhatStartsOnBoot) {
  Box box;
  box.add("/disk", {{"type", "tmpfs"}, {"slot", "tmpfs"}, {"tmpfs-max-size", "8M"}});
  box.store("tmpfs/agent.tar", fake_image(routeros::Arch::arm64));
  box.create({{"start-on-boot", "yes"}});
  box.add("/container", {{"file", "tmpfs/agent.tar"},
                         {"interface", "veth1"},
                         {"root-dir", "tmpfs/box"},
                         {"dns", "192.0.2.1"},
                         {"ignore-remote-image-change", "yes"}});
  box.advance(300);
  box.router.reboot();
  box.advance(100);
  EXPECT_EQ(box.router.boots(), 2u);
  const auto rows = box.print("/container");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].flag("running"));
  EXPECT_TRUE(rows[1].flag("stopped"));
  EXPECT_FALSE(box.router.read_file("tmpfs/agent.tar").has_value());
}

TEST(Lifecycle, ASetWithoutAPolicyPutsItToAlways) {
  Box box;
  box.create({{"restart-policy", "on-failure"}});
  box.run("/container/set", {{".id", "*1"}, {"comment", "x"}});
  EXPECT_EQ(box.print("/container").at(0).text("restart-policy"), "always");
}

TEST(Lifecycle, FaultsOfRemoval) {
  Box box;
  box.create();
  box.advance(300);
  box.router.set_fault("remove-refused");
  EXPECT_EQ(box.refusal("/container/remove", {{".id", "*1"}}), "failure: cannot remove running container");
  box.router.clear_faults();
  box.router.set_fault("keep-root");
  box.run("/container/remove", {{".id", "*1"}});
  box.advance(300);
  box.advance(5000);
  EXPECT_EQ(box.print("/file", {"?name=disk/box"}).size(), 1u);
}

}  // namespace
}  // namespace mikroscope::routersim
