#include "routeros/deploy/manifest.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/routeros/deploy/installing.h"

namespace mikroscope::routeros {
namespace {

std::string manifest_of(const Options& options, Slot slot = Slot::a) {
  const Facts facts = assumed_facts({7, 24}, "arm64");
  const base::Result<Plan> plan = make_plan(facts, options, image_of(options), slot);
  EXPECT_TRUE(plan.ok());
  return plan.ok() ? std::string(plan->find("manifest")->attribute("contents")) : "";
}

TEST(Manifest, OfTheDefaults) {
  const std::string text = manifest_of(options_with({}));
  EXPECT_TRUE(
      text.starts_with("mikroscope-manifest=1\n"
                       "tag=mikroscope:mikroscope (managed by mikroscope)\n"
                       "written-by=" MIKROSCOPE_VERSION "\n"
                       "slot=a\n"
                       "token=yes\n"
                       "name=mikroscope\n"
                       "veth=veth-mikro\n"
                       "subnet=172.30.10.0/30\n"
                       "iface-list=LAN\n"
                       "addr-list=LANs\n"
                       "port=9123\n"
                       "expose=no\n"))
      << text;
  EXPECT_TRUE(
      text.ends_with("directory=mikroscope\n"
                     "file=mikroscope/mikroscope.manifest.txt\n"
                     "object=/interface/veth name=veth-mikro\n"
                     "object=/ip/address interface=veth-mikro\n"
                     "object=/interface/list/member list=LAN interface=veth-mikro\n"
                     "object=/ip/firewall/address-list list=LANs address=172.30.10.0/30\n"
                     "object=/container/envs list=mikroscope-env\n"
                     "file=mikroscope.tar\n"
                     "object=/container interface=veth-mikro\n"
                     "directory=mikroscope/mikroscope\n"))
      << text;
  EXPECT_EQ(text.find(kTestToken), std::string::npos);
}

TEST(Manifest, ReadsBackWhatWasWritten) {
  const std::vector<std::pair<std::string, std::string>> kSome[] = {
      {{"name", "a"}},
      {{"name", "Second.One_2"}, {"veth", "v"}, {"subnet", "10.0.0.4/30"}},
      {{"disk", "usb1-part1"}},
      {{"ephemeral", "yes"}, {"start-on-boot", "no"}},
      {{"expose", "yes"}, {"lan-address", "192.168.88.1"}, {"expose-from", "10.0.0.0/8"}, {"port", "1"}},
      {{"iface-list", "none"}, {"addr-list", "none"}, {"no-token", "yes"}},
      {{"remote-image", "registry.example:5000/some/agent:1.2@sha256:" + std::string(64, 'a')}},
      {{"rate", "100"}, {"buffer", "3600"}, {"capture-mb", "0"}, {"triggers", "none"}},
      {{"triggers", "softirq>=25%,cpu>90%/3"}},
      {{"memory-max", "1G"},
       {"restart-interval", "9999s"},
       {"restart-max-count", "100"},
       {"privileged", "no"}},
  };
  for (const auto& given : kSome) {
    Options options = default_options();
    bool usable = true;
    for (const auto& [name, value] : given) usable = usable && find_option(name)->set(options, value).ok();
    if (!usable || !settle(options).ok()) continue;
    for (const Slot slot : kSlots) {
      const std::string text = manifest_of(options, slot);
      SCOPED_TRACE(text);
      const base::Result<Manifest> read = read_manifest(text);
      ASSERT_TRUE(read.ok()) << read.error().what;
      EXPECT_EQ(read->slot, slot);
      // privileged and start-on-boot were resolved when it was written; a second writing changes nothing.
      for (const OptionDef& option : all_options()) {
        if (!option.in_manifest || option.get(options) == "auto") continue;
        EXPECT_EQ(option.get(read->options), option.get(options)) << option.name;
      }
      EXPECT_EQ(manifest_of(read->options, slot), text);
    }
  }
}

TEST(Manifest, RefusesWhatItDoesNotWrite) {
  const std::string good = manifest_of(options_with({}));
  ASSERT_TRUE(read_manifest(good).ok());
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string out = good;
    const std::size_t at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return out.replace(at, from.size(), to);
  };
  const std::pair<std::string, const char*> kBad[] = {
      {"", "the file is empty"},
      {"hello\n", "line 1 of the manifest is not \"mikroscope-manifest=1\""},
      {with("mikroscope-manifest=1", "mikroscope-manifest=2"), "line 1"},
      {with("slot=a", "slot=c"), "line 4 of the manifest names no slot"},
      {with("token=yes", "token=maybe"), "line 5"},
      {with("port=9123", "port=99999"), "gives port:"},
      {with("port=9123", "port=9123\nport=9124"), "says port a second time"},
      {with("port=9123", "port"), "is not key=value"},
      {with("port=9123", "=9123"), "is not key=value"},
      {with("port=9123", "colour=red"), "names \"colour\", which is no option of this version"},
      {with("veth=veth-mikro", "veth=veth; /system reset"), "gives veth:"},
      {with("file=mikroscope.tar", "file=../flash/x"), "holds no path"},
      {with("file=mikroscope.tar", "file=/abs"), "holds no path"},
      {with("file=mikroscope.tar", "file=a//b"), "holds no path"},
      {with("file=mikroscope.tar", "file=a/"), "holds no path"},
      {with("object=/ip/address", "object=/ip/Address"), "holds no object"},
      {with("object=/ip/address interface=veth-mikro", "object=/ip/address"), "holds no object"},
      {with("object=/ip/address interface=veth-mikro", "object=/ip/address a=b$c"), "holds no object"},
      {with("tag=mikroscope:mikroscope", "tag=mikroscope:other"), "no tag that belongs to its name"},
      {good + std::string(40'000, '#'), "more than 32 KiB"},
  };
  for (const auto& [text, why] : kBad) {
    const base::Result<Manifest> read = read_manifest(text);
    ASSERT_FALSE(read.ok()) << why;
    EXPECT_NE(read.error().what.find(why), std::string::npos) << read.error().what;
  }
}

// No text makes the reader do anything but answer.
TEST(Manifest, SurvivesAnyDamage) {
  const std::string good = manifest_of(options_with({}));
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (std::uint32_t n = random() % 4; n != 0; --n) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 40);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        default:
          text.resize(at + 1);
      }
    }
    const base::Result<Manifest> read = read_manifest(text);
    if (!read.ok()) continue;
    for (const ManifestObject& object : read->objects)
      EXPECT_EQ(object.menu.find_first_of(" ;\"$[]"), std::string::npos);
    for (const std::string& file : read->files) EXPECT_EQ(file.find(".."), std::string::npos);
  }
}

TEST(Manifest, ItsTagLineIsExact) {
  const std::string tag = "mikroscope:a (managed by mikroscope)";
  EXPECT_TRUE(holds_tag_line("x\ntag=mikroscope:a (managed by mikroscope)\n", tag));
  EXPECT_TRUE(holds_tag_line("tag=mikroscope:a (managed by mikroscope)", tag));
  EXPECT_FALSE(holds_tag_line("tag=mikroscope:a (managed by mikroscope) \n", tag));
  EXPECT_FALSE(holds_tag_line(" tag=mikroscope:a (managed by mikroscope)\n", tag));
  EXPECT_FALSE(holds_tag_line("tag=mikroscope:ab (managed by mikroscope)\n", tag));
  EXPECT_FALSE(holds_tag_line("", tag));
}

TEST(Manifest, ItsPathIsOnAnyDisk) {
  EXPECT_TRUE(is_manifest_path("mikroscope/a.manifest.txt", "a"));
  EXPECT_TRUE(is_manifest_path("usb1/mikroscope/a.manifest.txt", "a"));
  EXPECT_TRUE(is_manifest_path("/usb1/mikroscope/a.manifest.txt", "a"));
  EXPECT_FALSE(is_manifest_path("notmikroscope/a.manifest.txt", "a"));
  EXPECT_FALSE(is_manifest_path("mikroscope/b.manifest.txt", "a"));
  EXPECT_FALSE(is_manifest_path("mikroscope/a.manifest.txt.bak", "a"));
  EXPECT_FALSE(is_manifest_path("mikroscope/ba.manifest.txt", "a"));
}

}  // namespace
}  // namespace mikroscope::routeros
