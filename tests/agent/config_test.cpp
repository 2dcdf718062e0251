#include "agent/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "proc/source.h"

namespace mikroscope::agent {
namespace {

using testing::HasSubstr;
using Env = std::map<std::string, std::string>;

struct Parsed {
  bool good = false;
  Config config;
  std::string error;
};

// The texts of the configuration point into `environment`.
Parsed parse(Env& environment) {
  Parsed out;
  char text[2048];
  base::Writer error(text, sizeof text);
  out.good = parse_config(
      [](void* context, const char* name) -> const char* {
        Env& e = *static_cast<Env*>(context);
        return e.count(name) == 0 ? nullptr : e[name].c_str();
      },
      &environment, out.config, error);
  out.error = error.view();
  return out;
}

TEST(Config, Defaults) {
  Env none{{"RATE_HZ", ""}};  // empty is unset
  const Parsed p = parse(none);
  ASSERT_TRUE(p.good) << p.error;
  EXPECT_EQ(p.config.rate_hz, 10u);
  EXPECT_EQ(p.config.buffer_s, 60u);
  EXPECT_EQ(p.config.port, 9123u);
  EXPECT_EQ(p.config.addr, "");
  EXPECT_EQ(p.config.capture_mb, 4u);
  EXPECT_EQ(p.config.capture_policy, "first");
  EXPECT_EQ(p.config.triggers, "softnet-drop,oom,kmsg<=3,reset,irq-err,flash-bad");
  EXPECT_EQ(p.config.proc_root, "/proc");
}

TEST(Config, EveryNumberHoldsItsRange) {
  unsigned numbers = 0;
  for (const Setting& s : all_settings()) {
    if (s.number == nullptr) continue;
    ++numbers;
    const std::string name(s.name);
    const bool pre = name == "CAPTURE_PRE_S";
    for (const std::uint32_t good : {s.low, s.high}) {
      Env e{{name, std::to_string(good)}};
      if (pre || name == "BUFFER_S") e.emplace("BUFFER_S", "100");
      EXPECT_TRUE(parse(e).good) << name << good << parse(e).error;
    }
    const std::string want = "want an integer in " + std::to_string(s.low) + ".." + std::to_string(s.high);
    for (const std::string& bad :
         {std::to_string(s.high + 1), std::string("-1"), std::string("x"), std::string("1.5"),
          std::string("99999999999999999999"), std::string("0x10")}) {
      Env e{{name, bad}};
      const Parsed p = parse(e);
      EXPECT_FALSE(p.good) << name << "=" << bad;
      EXPECT_EQ(p.error, name + "=\"" + bad + "\": " + want);
    }
    if (s.low == 0) continue;
    Env e{{name, std::to_string(s.low - 1)}};
    EXPECT_FALSE(parse(e).good) << name;
  }
  EXPECT_EQ(numbers, 9u);
}

TEST(Config, BufferOfADayIsAllowed) {
  Env e{{"BUFFER_S", "86400"}};
  EXPECT_EQ(parse(e).config.buffer_s, 86400u);
}

TEST(Config, TextsAreChecked) {
  const std::map<std::string, std::pair<std::string, std::string>> cases = {
      {"ADDR", {"router.lan", "ADDR=\"router.lan\": want an IPv4 or IPv6 address"}},
      {"CAPTURE_POLICY", {"best", "CAPTURE_POLICY=\"best\": want first or last"}},
      {"PROC_ROOT", {"proc", "PROC_ROOT=\"proc\": want an absolute path of at most 200 bytes"}},
      {"TOKEN", {"two words", "TOKEN=(not shown): want up to 256 printable characters without blanks"}},
  };
  for (const auto& [name, value] : cases) {
    Env e{{name, value.first}};
    EXPECT_EQ(parse(e).error, value.second);
  }
  Env good{{"ADDR", "fd00::2"}, {"TOKEN", "a-b_c"}, {"CAPTURE_POLICY", "last"}, {"MIKROSCOPE_TAG", "x y"}};
  EXPECT_TRUE(parse(good).good);
}

TEST(Config, AnUnknownSourceIsRefusedWithTheKnownOnes) {
  Env e{{"SOURCES", "stat, sotfnet"}};
  const Parsed p = parse(e);
  EXPECT_FALSE(p.good);
  EXPECT_THAT(p.error, HasSubstr("unknown source \"sotfnet\"; known: stat"));
  Env none{{"SOURCES", " , "}};
  EXPECT_FALSE(parse(none).good);
  Env good{{"SOURCES", "stat, meminfo"}};
  const Parsed q = parse(good);
  ASSERT_TRUE(q.good);
  EXPECT_TRUE(source_selected(q.config.sources, "meminfo"));
  EXPECT_FALSE(source_selected(q.config.sources, "mem"));
  for (const proc::SourceDef* s : proc::all_sources()) EXPECT_TRUE(source_selected("", s->name));
}

TEST(Config, ThePreWindowMustFitTheRing) {
  Env e{{"BUFFER_S", "10"}, {"CAPTURE_PRE_S", "10"}};
  EXPECT_EQ(parse(e).error, "CAPTURE_PRE_S=10: want less than BUFFER_S, which is 10");
}

TEST(Config, TheTableIsComplete) {
  for (const Setting& s : all_settings()) {
    EXPECT_FALSE(s.help.empty()) << s.name;
    EXPECT_NE(s.number == nullptr, s.text == nullptr) << s.name;
    EXPECT_EQ(s.name.data()[s.name.size()], '\0') << s.name;  // looked up as a C string
  }
}

}  // namespace
}  // namespace mikroscope::agent
