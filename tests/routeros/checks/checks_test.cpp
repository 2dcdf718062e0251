// Every check over facts literals: fine, lacking, not applicable, not readable.

#include <gtest/gtest.h>

#include <set>

#include "tests/routeros/checks/router_facts.h"

namespace mikroscope::routeros::checks_test {
namespace {

void expect(std::string_view check, const Facts& facts, const Options& options, Level level,
            std::string_view evidence, std::string_view fix = {}) {
  const Finding f = run_check(check, facts, options);
  EXPECT_EQ(level_name(f.level), level_name(level)) << check << ": " << f.evidence;
  EXPECT_NE(f.evidence.find(evidence), std::string::npos) << check << ": " << f.evidence;
  EXPECT_NE(f.fix.find(fix), std::string::npos) << check << ": " << f.fix;
}
void expect(std::string_view check, const Facts& facts, Level level, std::string_view evidence,
            std::string_view fix = {}) {
  expect(check, facts, default_options(), level, evidence, fix);
}

TEST(Checks, NamesAreUniqueAndExplained) {
  std::set<std::string_view> names;
  for (const Check* const check : all_checks()) {
    EXPECT_TRUE(names.insert(check->name).second) << check->name;
    EXPECT_FALSE(check->title.empty()) << check->name;
    EXPECT_FALSE(check->help.empty()) << check->name;
  }
}

TEST(Checks, AHomeRouterIsReady) {
  const Facts f = home_router();
  for (const Check* const check : all_checks()) {
    const Finding finding = check->run(f, default_options());
    EXPECT_TRUE(finding.level == Level::ok || finding.level == Level::skip)
        << check->name << ": " << level_name(finding.level) << " " << finding.evidence;
    EXPECT_FALSE(finding.evidence.empty()) << check->name;
  }
}

TEST(Checks, WhatIsWrongAlwaysComesWithARemedy) {
  Facts bare = home_router();
  for (const MenuDef& menu : all_menus()) bare.put(menu.path, {});
  Facts forbidden = home_router();
  for (const MenuDef& menu : all_menus())
    forbidden.put_refused(menu.path, {"not enough permissions (9)", 4, ""});
  for (const Facts& facts : {bare, forbidden}) {
    for (const Options& options :
         {default_options(), options_with({{"ephemeral", "yes"}, {"remote-image", "ghcr.io/some/agent"}}),
          options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"container-name", "x"}})}) {
      for (const Check* const check : all_checks()) {
        const Finding finding = check->run(facts, options);
        if (finding.level == Level::warn || finding.level == Level::missing) {
          EXPECT_FALSE(finding.fix.empty()) << check->name << ": " << finding.evidence;
        }
      }
    }
  }
}

TEST(Checks, AnAccountWithoutAPolicyLosesThatLineOnly) {
  Facts f = home_router();
  f.put_refused("/system/device-mode", {"not enough permissions (9)", 4, ""});
  int warnings = 0;
  for (const Check* const check : all_checks()) {
    const Finding finding = check->run(f, default_options());
    if (finding.level == Level::ok || finding.level == Level::skip) continue;
    ++warnings;
    EXPECT_EQ(check->name, "device-mode");
    EXPECT_EQ(finding.level, Level::warn);
    EXPECT_EQ(finding.evidence,
              "not known: the account may not read /system/device-mode (not enough permissions (9))");
  }
  EXPECT_EQ(warnings, 1);
}

TEST(Checks, OfflineNothingIsClaimed) {
  const Facts f = assumed_facts({7, 24}, "arm64");
  for (const Check* const check : all_checks()) {
    const Finding finding = check->run(f, default_options());
    EXPECT_TRUE(finding.level == Level::ok || finding.level == Level::skip)
        << check->name << ": " << finding.evidence;
  }
}

TEST(Checks, Version) {
  struct Case {
    std::string_view version;
    std::string_view privileged;
    Level level;
    std::string_view evidence;
  };
  const Case cases[] = {
      {"7.24.2 (stable)", "auto", Level::ok, "7.24.2 (stable)"},
      {"7.25rc1 (testing)", "auto", Level::ok, "7.25rc1"},
      {"8.0 (stable)", "auto", Level::ok, "8.0"},
      {"7.24 (stable)", "no", Level::ok, "not privileged as asked"},
      {"7.23.2 (stable)", "auto", Level::ok, "runs without privileges, which need 7.24"},
      {"7.24beta1 (development)", "auto", Level::ok, "runs without privileges"},
      {"7.23.2 (stable)", "yes", Level::missing, "--privileged yes needs 7.24"},
      {"7.20 (stable)", "auto", Level::ok, "7.20"},
      {"7.19.6 (stable)", "auto", Level::warn, "without a memory limit"},
      {"7.9 (stable)", "auto", Level::warn, "without a memory limit"},
      {"7.8 (stable)", "auto", Level::missing, "containers need RouterOS 7.9"},
      {"6.49.10 (long-term)", "auto", Level::missing, "containers need RouterOS 7.9"},
      {"", "auto", Level::missing, "did not say its version"},
      {"nonsense", "auto", Level::missing, "nonsense"},
  };
  for (const Case& c : cases) {
    Facts f = home_router();
    change(f, "/system/resource", {{"version", std::string(c.version)}});
    expect("version", f, options_with({{"privileged", std::string(c.privileged)}}), c.level, c.evidence);
  }
}

TEST(Checks, Architecture) {
  for (const std::string name : {"arm", "arm64", "x86_64"}) {
    Facts f = home_router();
    change(f, "/system/resource", {{"architecture-name", name}});
    expect("architecture", f, Level::ok, name);
  }
  for (const std::string name : {"mipsbe", "tile", "ppc"}) {
    Facts f = home_router();
    change(f, "/system/resource", {{"architecture-name", name}});
    expect("architecture", f, Level::missing, name);
  }
}

TEST(Checks, Image) {
  Facts f = home_router();
  expect("image", f, Level::ok, "arm64 for arm64");
  expect("image", f, options_with({{"arch", "arm64"}}), Level::ok, "arm64");
  expect("image", f, options_with({{"arch", "amd64"}}), Level::missing,
         "--arch amd64, but the router is arm64", "--arch arm64");
  expect("image", f, options_with({{"remote-image", "some/agent"}}), Level::ok, "some/agent");
  change(f, "/system/resource", {{"architecture-name", "arm"}, {"board-name", "hAP ac^2"}});
  expect("image", f, Level::ok, "armv5 for arm");
  expect("image", f, options_with({{"arch", "armv5"}}), Level::ok, "armv5");
  expect("image", f, options_with({{"arch", "armv7"}}), Level::warn, "EN7562CT", "--arch armv5");
  expect("image", f, options_with({{"remote-image", "some/agent"}}), Level::warn, "arm variants");
  change(f, "/system/resource", {{"board-name", "E50UG"}});
  expect("image", f, options_with({{"arch", "armv7"}}), Level::missing, "E50UG", "--arch armv5");
}

TEST(Checks, Package) {
  Facts f = home_router();
  expect("container-package", f, Level::ok, "container 7.24.2");
  f.put("/system/package", rows({{{"name", "routeros"}, {"version", "7.24.2"}},
                                 {{"name", "container"}, {"version", "7.24.2"}, {"disabled", "yes"}}}));
  expect("container-package", f, Level::missing, "disabled", "/system/package/enable container");
  f.put("/system/package", rows({{{"name", "routeros"}, {"version", "7.24.2"}}}));
  expect("container-package", f, Level::missing, "no container package", "container-7.24.2");
  f.put("/system/package", rows({{{"name", "container"}, {"version", "7.24.2"}, {"available", "true"}}}));
  expect("container-package", f, Level::missing, "no container package");
  f.put("/system/package", rows({{{"name", "container"}, {"version", "7.24.1"}}}));
  expect("container-package", f, Level::warn, "container 7.24.1, but RouterOS 7.24.2");
}

TEST(Checks, DeviceMode) {
  Facts f = home_router();
  expect("device-mode", f, Level::ok, "advanced");
  change(f, "/system/device-mode", {{"container", "yes"}});
  expect("device-mode", f, Level::ok, "advanced");
  change(f, "/system/device-mode", {{"container", "no"}});
  expect("device-mode", f, Level::missing, "container=no", "/system/device-mode/update container=yes");
  change(f, "/system/device-mode", {{"container", "yes"}, {"flagged", "yes"}});
  expect("device-mode", f, Level::missing, "suspicious", "flagged=no");
}

TEST(Checks, Memory) {
  Facts f = home_router();
  change(f, "/system/resource", {{"free-memory", "67108864"}});
  expect("memory", f, Level::ok, "64.0 MiB free, the container may use 64M");
  expect("memory", f, options_with({{"remote-image", "some/agent"}}), Level::warn, "takes some more");
  change(f, "/system/resource", {{"free-memory", "67108863"}});
  expect("memory", f, Level::missing, "63.9 MiB free", "--memory-max");
  expect("memory", f, options_with({{"memory-max", "32M"}}), Level::ok, "32M");
  change(f, "/system/resource", {{"free-memory", ""}});
  expect("memory", f, Level::warn, "did not say");
}

TEST(Checks, Storage) {
  Facts f = home_router();
  expect("storage", f, Level::ok, "free on the flash, 5.0 MiB needed");
  change(f, "/system/resource", {{"free-hdd-space", "5242879"}});
  expect("storage", f, Level::missing, "4.9 MiB free", "/disk/add type=tmpfs");
  change(f, "/system/resource", {{"free-hdd-space", "5242880"}});
  expect("storage", f, Level::ok, "5.0 MiB free");
  expect("storage", f, options_with({{"disk", "usb1"}}), Level::missing, "no disk \"usb1\"", "/disk/print");
  append(f, "/disk", {{"slot", "usb1"}, {"type", "hardware"}, {"free", "1000000000"}});
  expect("storage", f, options_with({{"disk", "usb1"}}), Level::ok, "953.6 MiB free on \"usb1\"");
  append(f, "/disk", {{"slot", "usb2"}, {"type", "hardware"}});
  expect("storage", f, options_with({{"disk", "usb2"}}), Level::warn, "does not say");
}

TEST(Checks, AFlashDirectoryMeansThatTheRootIsMemory) {
  Facts f = home_router();
  append(f, "/file", {{"name", "flash"}, {"type", "directory"}});
  expect("storage", f, Level::warn, "a reboot removes it", "--disk flash");
  expect("storage", f, options_with({{"disk", "flash"}}), Level::ok, "free on the flash");
}

TEST(Checks, Ephemeral) {
  Facts f = home_router();
  const Options ephemeral = options_with({{"ephemeral", "yes"}});
  expect("ephemeral-disk", f, Level::skip, "not asked for");
  expect("ephemeral-disk", f, ephemeral, Level::missing, "no memory disk",
         "/disk/add type=tmpfs tmpfs-max-size=64M slot=tmpfs");
  expect("storage", f, ephemeral, Level::missing, "no disk \"tmpfs\"", "/disk/add type=tmpfs");
  append(f, "/disk", {{"slot", "tmpfs"}, {"type", "tmpfs"}, {"free", "67108864"}});
  expect("ephemeral-disk", f, ephemeral, Level::ok, "in memory");
  expect("start-on-boot", f, ephemeral, Level::ok, "not started then");
  expect("start-on-boot", f, options_with({{"ephemeral", "yes"}, {"start-on-boot", "yes"}}), Level::warn,
         "nothing to start", "--start-on-boot no");
  f.put("/disk", rows({{{"slot", "tmpfs"}, {"type", "hardware"}, {"free", "67108864"}}}));
  expect("ephemeral-disk", f, ephemeral, Level::missing, "of type hardware", "/disk/set");
}

const std::string kTag = "mikroscope:mikroscope (managed by mikroscope)";

TEST(Checks, Veth) {
  Facts f = home_router();
  expect("veth", f, Level::ok, "veth-mikro is free");
  append(f, "/interface/veth", {{".id", "*9"}, {"name", "veth-mikro"}, {"comment", kTag}});
  expect("veth", f, Level::ok, "ours");
  f.put("/interface/veth", rows({{{".id", "*9"}, {"name", "veth-mikro"}, {"comment", kTag + " "}}}));
  expect("veth", f, Level::missing, "taken by somebody else", "--veth");
  Facts g = home_router();
  append(g, "/container", {{".id", "*1"}, {"interface", "veth-mikro"}, {"comment", "dns"}});
  expect("veth", g, Level::missing, "/container");
}

TEST(Checks, VethName) {
  const Facts f = home_router();
  expect("veth-name", f, options_with({{"veth", "veth-twelve1"}}), Level::ok, "veth-twelve1");
  expect("veth-name", f, options_with({{"veth", "veth-thirteen"}}), Level::warn, "13 characters", "--veth");
}

TEST(Checks, Environment) {
  Facts f = home_router();
  expect("environment", f, Level::ok, "mikroscope-env is free");
  append(f, "/container/envs", {{".id", "*1"}, {"list", "mikroscope-env"}, {"key", "A"}, {"value", "b"}});
  expect("environment", f, Level::missing, "mikroscope-env");
  append(f, "/container/envs",
         {{".id", "*2"}, {"list", "mikroscope-env"}, {"key", "MIKROSCOPE_TAG"}, {"value", kTag}});
  expect("environment", f, Level::ok, "ours");
}

TEST(Checks, Files) {
  Facts f = home_router();
  expect("files", f, Level::ok, "are free");
  append(f, "/file", {{".id", "*1"}, {"name", "mikroscope.tar"}, {"type", "file"}, {"size", "1"}});
  expect("files", f, Level::missing, "mikroscope.tar");
  Facts g = home_router();
  append(g, "/file",
         {{".id", "*1"},
          {"name", "mikroscope/mikroscope.manifest.txt"},
          {"type", "file"},
          {"contents", "something else"}});
  expect("files", g, Level::missing, "manifest.txt");
}

TEST(Checks, ContainerName) {
  Facts f = home_router();
  const Options named = options_with({{"container-name", "probe"}});
  expect("container-name", f, Level::skip, "RouterOS names");
  expect("container-name", f, named, Level::ok, "probe is free");
  append(f, "/container", {{".id", "*1"}, {"name", "probe"}, {"interface", "veth7"}});
  expect("container-name", f, named, Level::missing, "another container probe", "--container-name");
  f.put("/container", rows({{{".id", "*1"}, {"name", "probe"}, {"comment", kTag}}}));
  expect("container-name", f, named, Level::ok, "ours");
  change(f, "/system/resource", {{"version", "7.18"}});
  expect("container-name", f, named, Level::missing, "cannot name containers");
}

TEST(Checks, Subnet) {
  struct Case {
    Pairs route;
    bool meets;
  };
  const Case cases[] = {
      {{{"dst-address", "172.30.10.0/30"}, {"gateway", "10.0.0.1"}}, true},
      {{{"dst-address", "172.30.10.2"}, {"gateway", "10.0.0.1"}}, true},
      {{{"dst-address", "172.30.10.0/24"}, {"gateway", "vlan5"}, {"connect", "true"}}, true},
      {{{"dst-address", "172.30.10.0/24"}, {"gateway", "10.0.0.1"}}, false},  // ours is more specific
      {{{"dst-address", "172.30.10.4/30"}, {"gateway", "vlan5"}, {"connect", "true"}}, false},
      {{{"dst-address", "172.30.10.0/30"}, {"gateway", "veth-mikro"}, {"connect", "true"}}, false},
      {{{"dst-address", "172.30.10.0/30"}, {"immediate-gw", "172.30.10.1%veth-mikro"}}, false},
      {{{"dst-address", "172.30.10.0/24"}, {"blackhole", "true"}}, false},
      {{{"dst-address", "172.30.10.0/30"}, {"gateway", "10.0.0.1"}, {"disabled", "true"}}, false},
      {{{"dst-address", "172.30.10.0/30"}, {"gateway", "10.0.0.1"}, {"routing-table", "vpn"}}, false},
  };
  for (const Case& c : cases) {
    Facts f = home_router();
    append(f, "/ip/route", c.route);
    const Finding found = run_check("subnet", f);
    EXPECT_EQ(found.level, c.meets ? Level::missing : Level::ok)
        << c.route[0].second << " " << c.route[1].second << ": " << found.evidence;
  }
  Facts f = home_router();
  append(f, "/ip/address", {{"address", "172.30.10.1/28"}, {"interface", "vlan5"}});
  expect("subnet", f, Level::missing, "172.30.10.0/30 meets 172.30.10.1/28 on vlan5",
         "--subnet 172.30.10.16/30");
  f.put("/ip/address", rows({{{"address", "172.30.10.1/30"}, {"interface", "veth-mikro"}}}));
  expect("subnet", f, Level::ok, "is free");
}

TEST(Checks, InterfaceList) {
  Facts f = home_router();
  expect("interface-list", f, Level::ok, "\"LAN\" is there");
  expect("interface-list", f, options_with({{"iface-list", "none"}}), Level::ok, "joins none");
  expect("interface-list", f, options_with({{"iface-list", "WAN"}}), Level::warn, "uplink", "--iface-list");
  expect("interface-list", f, options_with({{"iface-list", "HOME"}}), Level::missing,
         "no interface list \"HOME\"", "--iface-list none");
  f.put("/ip/firewall/raw",
        rows({{{".id", "*1"}, {"chain", "prerouting"}, {"action", "drop"}, {"in-interface-list", "!LAN"}}}));
  expect("interface-list", f, options_with({{"iface-list", "HOME"}}), Level::missing, "HOME",
         "/interface/list/add name=");
}

TEST(Checks, AddressList) {
  Facts f = home_router();
  expect("address-list", f, Level::ok, "\"LANs\" is new");
  append(f, "/ip/firewall/address-list", {{"list", "LANs"}, {"address", "192.168.88.0/24"}});
  expect("address-list", f, Level::ok, "\"LANs\" has 1 entry");
}

TEST(Checks, Expose) {
  Facts f = home_router();
  const Options exposed = options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}});
  expect("expose", f, Level::skip, "not asked for");
  expect("expose", f, exposed, Level::ok, "192.168.88.1 is on bridge, open to LAN");
  expect("expose", f, options_with({{"expose", "yes"}, {"lan-address", "192.168.88.2"}}), Level::missing,
         "no interface has 192.168.88.2", "192.168.88.1 and 198.51.100.7");
  expect("expose", f, options_with({{"expose", "yes"}, {"lan-address", "198.51.100.7"}}), Level::warn,
         "ether1, the uplink", "--lan-address");
  expect("expose", f,
         options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"expose-from", "WAN"}}),
         Level::warn, "includes the uplink");
  expect("expose", f,
         options_with({{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"expose-from", "GUESTS"}}),
         Level::missing, "\"GUESTS\" that does not exist");
  append(f, "/ip/firewall/nat",
         {{".id", "*5"},
          {"chain", "dstnat"},
          {"dst-address", "192.168.88.1"},
          {"dst-port", "9123"},
          {"protocol", "tcp"},
          {"action", "dst-nat"}});
  expect("expose", f, exposed, Level::missing, "leads elsewhere already (/ip/firewall/nat *5)", "--port");
}

TEST(Checks, Registry) {
  Facts f = home_router();
  const Options pulled = options_with({{"remote-image", "ghcr.io/some/agent:1"}});
  expect("registry", f, Level::skip, "nothing is pulled");
  expect("registry", f, pulled, Level::ok, "without a credential");
  change(f, "/container/config", {{"username", "me"}, {"registry-url", "https://ghcr.io"}});
  expect("registry", f, pulled, Level::ok, "credential is for ghcr.io");
  change(f, "/container/config", {{"registry-url", "https://registry-1.docker.io"}});
  expect("registry", f, pulled, Level::warn, "registry-1.docker.io, the image is at ghcr.io", "username=");
  change(f, "/container/config", {{"registry-url", ""}});
  expect("registry", f, pulled, Level::warn, "no named registry");
  change(f, "/system/resource", {{"version", "7.17.2"}});
  expect("registry", f, pulled, Level::missing, "whatever the reference says");
  const std::string evidence = run_check("registry", f, pulled).evidence;
  EXPECT_EQ(evidence.find("me,"), std::string::npos) << "the credential's name is nobody's business";
}

TEST(Checks, Names) {
  Facts f = home_router();
  expect("names", f, Level::ok, "9.9.9.9");
  change(f, "/ip/dns", {{"servers", ""}, {"dynamic-servers", "198.51.100.1"}});
  expect("names", f, Level::ok, "198.51.100.1");
  change(f, "/ip/dns", {{"dynamic-servers", ""}});
  expect("names", f, Level::ok, "the container is told 172.30.10.1");
  expect("names", f, options_with({{"remote-image", "some/agent"}}), Level::missing,
         "cannot find the registry", "/ip/dns/set servers=");
}

TEST(Checks, TokenOfAnExposedInstallation) {
  Facts f = home_router();
  expect("token", f, Level::ok, "no exposed installation");
  append(f, "/ip/firewall/nat",
         {{".id", "*5"},
          {"chain", "dstnat"},
          {"dst-address", "192.168.88.1"},
          {"dst-port", "9123"},
          {"comment", kTag}});
  append(f, "/container/envs",
         {{".id", "*2"}, {"list", "mikroscope-env"}, {"key", "MIKROSCOPE_TAG"}, {"value", kTag}});
  expect("token", f, Level::warn, "asks for no token", "mikroscope uninstall");
  append(f, "/container/envs", {{".id", "*3"}, {"list", "mikroscope-env"}, {"key", "TOKEN"}, {"value", "s"}});
  expect("token", f, Level::ok, "asks for a token");
}

TEST(Checks, Leftovers) {
  Facts f = home_router();
  expect("leftovers", f, Level::ok, "nothing of this installation");
  append(f, "/interface/veth",
         {{".id", "*9"},
          {"name", "veth-mikro"},
          {"address", "172.30.10.2/30"},
          {"gateway", "172.30.10.1"},
          {"comment", kTag}});
  expect("leftovers", f, Level::ok, "nothing beside the installation");
  append(f, "/ip/firewall/mangle", {{".id", "*3"}, {"comment", kTag}});
  expect("leftovers", f, Level::warn,
         "1 object with our tag that no installation explains: /ip/firewall/mangle *3",
         "mikroscope uninstall --name mikroscope");
  append(f, "/ip/firewall/raw",
         {{".id", "*4"}, {"chain", "prerouting"}, {"comment", "mikroscope:mikroscope"}});
  expect("leftovers", f, Level::warn, "1 object");
  Facts g = home_router();
  g.put_refused("/ip/firewall/mangle", {"not enough permissions (9)", 4, ""});
  expect("leftovers", g, Level::warn, "not known: the account may not read /ip/firewall/mangle");
}

}  // namespace
}  // namespace mikroscope::routeros::checks_test
