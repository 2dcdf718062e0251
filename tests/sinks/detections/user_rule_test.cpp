#include <gtest/gtest.h>

#include "sinks/kernel/store_tables.h"
#include "tests/sinks/detections/timeline.h"

namespace mikroscope::sinks {
namespace {

using test::Timeline;

RuleSpec rule(const std::string& text) {
  auto spec = parse_rule(text, kernel_measurements());
  EXPECT_TRUE(spec.ok()) << text << ": " << (spec.ok() ? "" : spec.error().what);
  return spec.ok() ? *spec : RuleSpec{};
}

std::string cpus(int user0, int user1) {
  return fmt::format(
      R"("cpu":[{{"cpu":0,"user":{},"nice":0,"system":0,"irq":0,"softirq":0,"steal":0}},{{"cpu":1,"user":{},"nice":0,"system":0,"irq":0,"softirq":0,"steal":0}}])",
      user0, user1);
}

TEST(UserRule, AnyRowFiresWithItsKey) {
  Timeline t({rule("hot-core: cpu.busy_ratio > 0.95")});
  t.sample(cpus(95, 95));
  EXPECT_TRUE(t.hits.empty()) << "0.95 is not more than 0.95";
  t.sample(cpus(10, 96));
  ASSERT_EQ(t.hits.size(), 1U);
  EXPECT_EQ(t.hits[0].rule, "hot-core");
  EXPECT_EQ(t.hits[0].key, "cpu1");
  EXPECT_DOUBLE_EQ(t.hits[0].value, 0.96);
  EXPECT_DOUBLE_EQ(t.hits[0].threshold, 0.95);
}

TEST(UserRule, ForAsksForALastingState) {
  Timeline t({rule("busy: cpu[0].busy_ratio >= 0.9 for 2s")});
  t.dt_ns = 100'000'000;
  const auto run = [&](int samples, int ticks) {
    for (int i = 0; i < samples; ++i) {
      t.sample(cpus(ticks, 0));
      t.wall_ns += 60'000'000'000;  // steps of the wall clock are no time
    }
  };
  run(20, 9);
  run(1, 1);
  run(20, 9);
  EXPECT_TRUE(t.hits.empty()) << "1.9 s from the first to the last, twice";
  run(1, 9);
  EXPECT_EQ(t.hits.size(), 1U);
}

TEST(UserRule, Aggregates) {
  const struct {
    const char* text;
    bool fires;
  } kCases[] = {
      {"r: all cpu.busy_ratio > 0.2", false},
      {"r: all cpu.busy_ratio > 0.1", true},
      {"r: sum cpu.user == 100", true},
      {"r: mean cpu.busy_ratio == 0.5", true},
      {"r: max cpu.user >= 80", true},
      {"r: max cpu.user > 80", false},
      {"r: min cpu.user < 21", true},
      {"r: min cpu.user != 20", false},
      {"r: cpu[1].user + 5 > cpu[0].user", false},
      {"r: cpu[cpu=1].user * (2 + 3) > cpu[0].user", true},
      {"r: any cpu.user / cpu.dt_ns <= 2e-8", true},
      {"r: rate(cpu.user) > 79", true},
  };
  for (const auto& c : kCases) {
    Timeline t({rule(c.text)});
    t.sample(cpus(80, 20));
    EXPECT_EQ(t.hits.size(), c.fires ? 1U : 0U) << c.text;
  }
}

TEST(UserRule, FieldsOfOneRowAndOfSelectionsMeet) {
  Timeline t({rule("full: slab[nf_conntrack].active / slab[nf_conntrack].limit > 0.8"),
              rule("ipc: perf[instructions].count / perf[cycles].count < 0.5")});
  t.sample(R"("slab":[{"cache":"nf_conntrack","active":801,"limit":1000},{"cache":"TCP","active":5}],)"
           R"("perf":[{"counter":"cycles","cpu":0,"count":100},{"counter":"cycles","cpu":1,"count":100},)"
           R"({"counter":"instructions","cpu":0,"count":50},{"counter":"instructions","cpu":1,"count":49}])");
  ASSERT_EQ(t.of("full").size(), 1U);
  EXPECT_DOUBLE_EQ(t.of("full")[0].value, 0.801);
  ASSERT_EQ(t.of("ipc").size(), 1U);
  EXPECT_NE(t.of("ipc")[0].key.find("cpu1"), std::string::npos) << t.of("ipc")[0].key;
}

TEST(UserRule, AbsentIsNeitherTrueNorFalse) {
  Timeline t({rule("low: cpu[1].user < 5"), rule("gone: softnet.dropped < 1"),
              rule("zero: cpu.user / cpu.nice > 1")});
  t.sample(R"("cpu":[{"cpu":0,"user":50,"nice":0}])");
  EXPECT_TRUE(t.hits.empty());
  EXPECT_FALSE(t.counts("low").checked);
  EXPECT_FALSE(t.counts("gone").checked);
  EXPECT_FALSE(t.counts("zero").checked) << "50 / 0 is no number";
  EXPECT_EQ(t.counts("gone").needs, "softnet");
}

TEST(UserRule, ErrorsPointAndHelp) {
  const struct {
    const char* text;
    const char* what;
    const char* fix;
  } kCases[] = {
      {"cpu.busy_ratio > 1", "name is missing", "NAME:"},
      {"a b: cpu.user > 1", "no name", "NAME:"},
      {"r: cpu.bussy_ratio > 1", "character 8", "did you mean busy_ratio?"},
      {"r: cpi.user > 1", "there is no measurement cpi", "did you mean cpu?"},
      {"r: cpu.user", "comparison is missing at the end", ">="},
      {"r: cpu.user > ", "a number or a field is missing at the end", ""},
      {"r: cpu.user > 1 fr 2s", "at \"fr 2s\"", "for"},
      {"r: cpu.user > 1 for soon", "no span of time", "2s"},
      {"r: cpu[0.user > 1", "a ] is missing", ""},
      {"r: cpu[core=0].user > 1", "has no key core", "cpu"},
      {"r: cpu[0,1].user > 1", "cpu has 1 keys", ""},
      {"r: (cpu.user > 1", "a ) is missing", ""},
      {"r: 1 > 2", "no field before", ""},
      {"r: event.message > 1", "is a text", ""},
      {"r: rate(mem.total_kb) > 1", "is a level", ""},
      {"r: sum cpu.user > cpu.nice", "compared with a number", ""},
      {"r: cpu. > 1", "field of cpu is missing", "busy_ratio"},
      {"", "name is missing", ""},
      {":", "no name", ""},
  };
  for (const auto& c : kCases) {
    const auto spec = parse_rule(c.text, kernel_measurements());
    ASSERT_FALSE(spec.ok()) << c.text;
    EXPECT_EQ(spec.error().exit, base::Exit::usage);
    EXPECT_NE(spec.error().what.find(c.what), std::string::npos) << c.text << ": " << spec.error().what;
    EXPECT_NE(spec.error().fix.find(c.fix), std::string::npos) << c.text << ": " << spec.error().fix;
  }
}

TEST(UserRule, NamesAreUnique) {
  const std::vector<std::string> twice = {"a: cpu.user > 1", "a: cpu.user > 2"};
  EXPECT_FALSE(parse_rules(twice, {}).ok());
  const std::vector<std::string> taken = {"reboot: cpu.user > 1"};
  EXPECT_FALSE(parse_rules(taken, {}).ok());
  const std::vector<std::string> unknown = {"a: something.new > 1"};
  EXPECT_TRUE(parse_rules(unknown, {}).ok()) << "without a list, names are taken as they are";
}

TEST(UserRule, HostileTextsAreErrorsAndNothingElse) {
  std::string deep = "r: ";
  for (int i = 0; i < 400; ++i) deep += '(';
  const std::string cases[] = {deep,
                               "r: cpu[\"a\\",
                               "r: cpu[\"",
                               std::string("r: \0cpu", 7),
                               "r: \xE4.x > 1",
                               "r: rate(",
                               "r: cpu[",
                               "r: -",
                               "r: 1e999 > cpu.user",
                               std::string(5000, 'r') + ":",
                               "r: cpu.user > 1 for 99999999999999999999s"};
  for (const std::string& text : cases) {
    const auto spec = parse_rule(text, {});
    EXPECT_FALSE(spec.ok()) << text;
  }
  // Every beginning of a good rule is a rule or an error.
  const std::string good = "a: max slab[\"x y\",cache=z].active / (2 + 3.5e1) >= -4 for 1m30s";
  ASSERT_TRUE(parse_rule(good, {}).ok());
  for (std::size_t n = 0; n < good.size(); ++n) (void)parse_rule(good.substr(0, n), {});
}

}  // namespace
}  // namespace mikroscope::sinks
