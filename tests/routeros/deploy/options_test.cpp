#include "routeros/deploy/options.h"

#include <gtest/gtest.h>

#include <set>

#include "agent/config.h"

namespace mikroscope::routeros {
namespace {

base::Result<void> give(Options& options, std::string_view name, const std::string& value) {
  const OptionDef* const def = find_option(name);
  if (def == nullptr) return base::Error{"no such option", ""};
  return def->set(options, value);
}

TEST(Options, NamesAreUniqueAndHelped) {
  std::set<std::string_view> names;
  for (const OptionDef& option : all_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
    EXPECT_FALSE(option.bounds.empty()) << option.name;
    EXPECT_FALSE(option.group.empty()) << option.name;
  }
}

TEST(Options, WhatIsReadBackCanBeSetAgain) {
  const Options defaults = default_options();
  for (const OptionDef& option : all_options()) {
    Options other = default_options();
    const std::string text = option.get(defaults);
    EXPECT_TRUE(option.set(other, text).ok()) << option.name << "=" << text;
    EXPECT_EQ(option.get(other), text) << option.name;
  }
}

TEST(Options, Defaults) {
  const Options o = default_options();
  EXPECT_EQ(o.name, "mikroscope");
  EXPECT_EQ(o.veth, "veth-mikro");
  EXPECT_EQ(o.subnet, "172.30.10.0/30");
  EXPECT_EQ(o.interface_list, "LAN");
  EXPECT_EQ(o.address_list, "LANs");
  EXPECT_EQ(o.port, 9123u);
  EXPECT_EQ(o.memory_max, "64M");
  EXPECT_EQ(o.memory_bytes(), 67108864u);
  EXPECT_EQ(o.extract_timeout_s, 120u);
  EXPECT_EQ(o.restart_max_count, 5u);
  EXPECT_EQ(o.restart_interval, "10s");
  EXPECT_EQ(o.agent_setting("RATE_HZ"), "10");
  EXPECT_EQ(o.agent_setting("BUFFER_S"), "60");
  EXPECT_TRUE(o.starts_on_boot());
  EXPECT_TRUE(o.token.empty());
}

TEST(Options, DerivedTexts) {
  Options o = default_options();
  EXPECT_EQ(o.tag(), "mikroscope:mikroscope (managed by mikroscope)");
  EXPECT_EQ(o.gateway(), "172.30.10.1");
  EXPECT_EQ(o.address(), "172.30.10.2");
  EXPECT_EQ(o.env_list(), "mikroscope-env");
  EXPECT_EQ(o.root_dir(), "mikroscope/mikroscope");
  EXPECT_EQ(o.tar_file(), "mikroscope.tar");
  EXPECT_EQ(o.manifest_file(), "mikroscope/mikroscope.manifest.txt");
  ASSERT_TRUE(give(o, "disk", "usb1").ok());
  ASSERT_TRUE(give(o, "name", "second").ok());
  ASSERT_TRUE(give(o, "subnet", "10.255.255.252/30").ok());
  EXPECT_EQ(o.directory(), "usb1/mikroscope");
  EXPECT_EQ(o.root_dir(), "usb1/mikroscope/second");
  EXPECT_EQ(o.tar_file(), "usb1/second.tar");
  EXPECT_EQ(o.address(), "10.255.255.254");
}

struct Case {
  std::string_view option;
  std::string value;
  bool good;
};
TEST(Options, Bounds) {
  const Case cases[] = {
      {"name", "a", true},
      {"name", std::string(32, 'a'), true},
      {"name", std::string(33, 'a'), false},
      {"name", "", false},
      {"name", "-a", false},
      {"name", "a b", false},
      {"name", "a\"b", false},
      {"name", "Büro", false},
      {"veth", std::string(64, 'v'), true},
      {"veth", std::string(65, 'v'), false},
      {"subnet", "172.30.10.4/30", true},
      {"subnet", "172.30.10.1/30", false},  // not the network's address
      {"subnet", "172.30.10.0/29", false},
      {"subnet", "172.30.10.0", false},
      {"subnet", "0.0.0.0/30", false},
      {"subnet", "172.30.10.0/30 ", false},
      {"iface-list", "none", true},
      {"iface-list", "all", false},
      {"iface-list", "static", false},
      {"iface-list", "dynamic", false},
      {"addr-list", "LANs", true},
      {"port", "65535", true},
      {"port", "0", false},
      {"port", "65536", false},
      {"port", "+80", false},
      {"expose", "yes", true},
      {"expose", "", true},
      {"expose", "perhaps", false},
      {"lan-address", "192.168.88.1", true},
      {"lan-address", "192.168.88.1/24", false},
      {"lan-address", "0.0.0.0", false},
      {"expose-from", "192.168.88.0/24", true},
      {"expose-from", "192.168.88.9", true},
      {"expose-from", "LAN", true},
      {"expose-from", "all", true},  // said by name, everybody may
      {"expose-from", "192.168.88.1/24", false},
      {"expose-from", "192.168.88", false},
      {"expose-from", "none", false},
      {"disk", "usb1-part1", true},
      {"disk", "usb1/x", false},
      {"disk", "a.b", false},
      {"arch", "armv7", true},
      {"arch", "mips", false},
      {"arch", "", false},
      {"remote-image", "ghcr.io/some/agent:1.2", true},
      {"remote-image", "UPPER/agent", false},
      {"remote-image", "a b", false},
      {"memory-max", "64M", true},
      {"memory-max", "1G", true},
      {"memory-max", "8192K", true},
      {"memory-max", "67108864", true},
      {"memory-max", "4M", false},
      {"memory-max", "2G", false},
      {"memory-max", "64MB", false},
      {"memory-max", "M", false},
      {"privileged", "auto", true},
      {"privileged", "maybe", false},
      {"start-on-boot", "no", true},
      {"start-on-boot", "true", false},
      {"restart-max-count", "100", true},
      {"restart-max-count", "101", false},
      {"restart-interval", "90s", true},
      {"restart-interval", "90", false},
      {"restart-interval", "12345s", false},
      {"extract-timeout", "10m", true},
      {"extract-timeout", "9s", false},
      {"extract-timeout", "11m", false},
      {"rate", "100", true},
      {"rate", "101", false},
      {"rate", "0", false},
      {"buffer", "86400", true},
      {"buffer", "1h", true},
      {"buffer", "86401", false},
      {"capture-mb", "256", true},
      {"capture-mb", "257", false},
      {"capture-policy", "last", true},
      {"capture-policy", "middle", false},
      {"triggers", "none", true},
      {"triggers", "kmsg<=3,oom", true},
      {"triggers", "no-such-thing", false},
      {"sources", "stat,softnet", true},
      {"sources", "stat,bogus", false},
      {"floor-hz", "1000", true},
      {"subtick", "10", true},
      {"subtick", "11", false},
  };
  for (const Case& c : cases) {
    Options o = default_options();
    const base::Result<void> done = give(o, c.option, c.value);
    EXPECT_EQ(done.ok(), c.good) << c.option << "=\"" << c.value << "\"";
    if (!done.ok()) {
      EXPECT_EQ(done.error().exit, base::Exit::usage) << c.option;
    }
  }
}

TEST(Options, AllNamesOfTheAgentsSettings) {
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"RATE_HZ", "rate"},
      {"BUFFER_S", "buffer"},
      {"SOURCES", "sources"},
      {"TRIGGERS", "triggers"},
      {"CAPTURE_MB", "capture-mb"},
      {"CAPTURE_PRE_S", "capture-pre"},
      {"CAPTURE_POST_S", "capture-post"},
      {"CAPTURE_POLICY", "capture-policy"},
      {"TRIGGER_REFRACTORY_S", "trigger-refractory"},
      {"FLOOR_HZ", "floor-hz"},
      {"SUBTICK", "subtick"},
  };
  for (const auto& [variable, flag] : expected) {
    const OptionDef* const def = find_option(flag);
    ASSERT_NE(def, nullptr) << flag;
    EXPECT_EQ(def->variable, variable);
  }
  EXPECT_EQ(default_options().agent.size(), std::size(expected));
  for (const std::string_view decided : {"addr", "token", "proc-root", "sys-root", "mikroscope-tag"})
    EXPECT_EQ(find_option(decided), nullptr) << decided;
}

TEST(Options, AnAgentsValueIsKeptInSeconds) {
  Options o = default_options();
  ASSERT_TRUE(give(o, "buffer", "5m").ok());
  EXPECT_EQ(o.agent_setting("BUFFER_S"), "300");
  ASSERT_TRUE(give(o, "arch", "arm").ok());
  EXPECT_EQ(o.arch, "armv5");
}

TEST(Options, TheAgentsWordsAreTheError) {
  Options o = default_options();
  const base::Result<void> done = give(o, "rate", "200");
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().what, "RATE_HZ=\"200\": want an integer in 1..100");
  EXPECT_EQ(o.agent_setting("RATE_HZ"), "10");
}

std::string settled(const std::vector<std::pair<std::string, std::string>>& given, Options* out = nullptr) {
  Options o = default_options();
  for (const auto& [name, value] : given) EXPECT_TRUE(give(o, name, value).ok()) << name;
  const base::Result<void> done = settle(o);
  if (out != nullptr) *out = o;
  return done.ok() ? "" : done.error().what;
}

TEST(Options, WhatDoesNotGoTogetherIsRefusedNamingBoth) {
  EXPECT_EQ(settled({}), "");
  EXPECT_EQ(settled({{"expose", "yes"}}), "--expose needs the router's address that clients will use");
  EXPECT_EQ(settled({{"lan-address", "192.168.88.1"}}), "--lan-address has a meaning only with --expose");
  EXPECT_EQ(settled({{"expose-from", "LAN"}}), "--expose-from has a meaning only with --expose");
  EXPECT_EQ(settled({{"expose", "yes"}, {"lan-address", "192.168.88.1"}}), "");
  EXPECT_EQ(settled({{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"no-token", "yes"}}),
            "--expose with --no-token would let anyone in");
  EXPECT_EQ(settled({{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"iface-list", "none"}}),
            "--expose without an interface list would open the agent to every network");
  EXPECT_EQ(settled({{"expose", "yes"}, {"lan-address", "172.30.10.2"}}),
            "--lan-address 172.30.10.2 lies in the agent's own subnet 172.30.10.0/30");
  EXPECT_EQ(settled({{"agent-tar", "a.tar"}, {"remote-image", "some/agent"}}),
            "--agent-tar and --remote-image both name the image");
  EXPECT_EQ(settled({{"capture-pre", "60"}}), "CAPTURE_PRE_S=60: want less than BUFFER_S, which is 60");
  EXPECT_EQ(settled({{"capture-pre", "60"}, {"buffer", "61"}}), "");
  EXPECT_EQ(settled({{"capture-pre", "60"}, {"capture-mb", "0"}}), "");
}

TEST(Options, EphemeralMeansTheMemoryDisk) {
  Options o;
  EXPECT_EQ(settled({{"ephemeral", "yes"}}, &o), "");
  EXPECT_EQ(o.disk, "tmpfs");
  EXPECT_EQ(o.root_dir(), "tmpfs/mikroscope/mikroscope");
  EXPECT_FALSE(o.starts_on_boot());
  EXPECT_EQ(settled({{"ephemeral", "yes"}, {"start-on-boot", "yes"}}, &o), "");
  EXPECT_TRUE(o.starts_on_boot());
  EXPECT_EQ(settled({{"ephemeral", "yes"}, {"disk", "tmpfs"}}), "");
  EXPECT_EQ(settled({{"ephemeral", "yes"}, {"disk", "usb1"}}),
            "--ephemeral keeps everything on the memory disk \"tmpfs\", --disk says usb1");
}

TEST(ImageReference, HostAndPath) {
  struct Expected {
    std::string_view text;
    std::string_view host;
    std::string_view path;
  };
  const std::string digest = "@sha256:" + std::string(64, 'a');
  const std::string pinned_path = "some/agent:1.2" + digest;
  const std::string pinned = "ghcr.io/" + pinned_path;
  const Expected cases[] = {
      {"agent", "registry-1.docker.io", "library/agent"},
      {"some/agent:1.2", "registry-1.docker.io", "some/agent:1.2"},
      {"docker.io/some/agent", "registry-1.docker.io", "some/agent"},
      {"index.docker.io/agent", "registry-1.docker.io", "library/agent"},
      {"ghcr.io/some/agent", "ghcr.io", "some/agent"},
      {"localhost/agent", "localhost", "agent"},
      {"registry.example:5000/a/b:c", "registry.example:5000", "a/b:c"},
      {pinned, "ghcr.io", pinned_path},
  };
  for (const Expected& c : cases) {
    const base::Result<ImageReference> parsed = parse_reference(c.text);
    ASSERT_TRUE(parsed.ok()) << c.text;
    EXPECT_EQ(parsed->host, c.host) << c.text;
    EXPECT_EQ(parsed->path, c.path) << c.text;
  }
  for (const std::string_view bad : {"", "/agent", "agent/", "a//b", "Agent", "agent:", "agent@sha256:12",
                                     "agent;x", "a b", "agent:a b"}) {
    EXPECT_FALSE(parse_reference(bad).ok()) << bad;
  }
}

TEST(ImageReference, RegistryHost) {
  EXPECT_EQ(registry_host("https://registry-1.docker.io"), "registry-1.docker.io");
  EXPECT_EQ(registry_host("https://user:pw@GHCR.io/v2/"), "ghcr.io");
  EXPECT_EQ(registry_host("docker.io"), "registry-1.docker.io");
  EXPECT_EQ(registry_host("lscr.io"), "lscr.io");
  EXPECT_EQ(registry_host(""), "");
}

}  // namespace
}  // namespace mikroscope::routeros
