// What doctor prints, word by word.
#include "cli/doctor_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/deploy_options.h"

namespace mikroscope::cli {
namespace {

using routeros::Check;
using routeros::Facts;
using routeros::Finding;
using routeros::Level;

const Check kFine{"fine", "this holds", "", "", nullptr};
const Check kOdd{"odd", "that is odd", "", "", nullptr};
const Check kBad{"bad", "this is there", "", "", nullptr};
const Check kNot{"not", "not asked for", "", "", nullptr};

Facts some_router() {
  Facts f = routeros::assumed_facts({7, 24, 2}, "arm64");
  f.assumed = false;
  routeros::Row resource = f.settings("/system/resource");
  resource.put("version", "7.24.2 (stable)");
  resource.put("board-name", "RB5009UG+S+");
  f.put("/system/resource", {resource});
  routeros::Row identity;
  identity.put("name", "B\xFC\x1Bro");  // CP1252, and an escape that no terminal must see
  f.put("/system/identity", {identity});
  return f;
}

DoctorReport some_report(const Facts& facts) {
  DoctorReport report;
  report.router = "admin@192.168.88.1";
  report.facts = &facts;
  report.findings = {{&kFine, {Level::ok, "as it should", ""}},
                     {&kOdd, {Level::warn, "it is odd", "look at it"}},
                     {&kNot, {Level::skip, "nobody asked", ""}},
                     {&kBad, {Level::missing, "it is not", "`/thing/add`"}}};
  report.no_health = "no agent \"mikroscope\" is installed";
  return report;
}

TEST(DoctorReport, Text) {
  const Facts facts = some_router();
  EXPECT_EQ(report_text(some_report(facts)),
            "device: RB5009UG+S+, RouterOS 7.24.2 (stable), arm64 (\"Bü\\x1bro\")\n"
            "  ok      this holds (as it should)\n"
            "  WARN    that is odd (it is odd)\n"
            "          fix: look at it\n"
            "  MISSING this is there (it is not)\n"
            "          fix: `/thing/add`\n"
            "  skipped not: nobody asked\n"
            "health: skipped: no agent \"mikroscope\" is installed\n");
}

TEST(DoctorReport, TextOfTheAgentsMemory) {
  const Facts facts = some_router();
  DoctorReport report = some_report(facts);
  report.findings.clear();
  report.about = "\"mikroscope\" is installed: checked with its own options";
  AgentHealth health;
  health.samples = 600;
  health.span_ns = 59'900'000'123;
  health.findings = {
      {"link-flap", "links stay up", HealthFinding::Level::warn, "ether1 went down 2 times", "a cable"},
      {"softnet-drops", "no packet was dropped", HealthFinding::Level::ok, "none", ""},
      {"stp-churn", "ports stay", HealthFinding::Level::skip, "no log", ""}};
  report.health = health;
  EXPECT_EQ(report_text(report),
            "device: RB5009UG+S+, RouterOS 7.24.2 (stable), arm64 (\"Bü\\x1bro\")\n"
            "\"mikroscope\" is installed: checked with its own options\n"
            "health, from the agent's memory of 600 samples, 59.9s\n"
            "  WARN    links stay up (ether1 went down 2 times)\n"
            "          fix: a cable\n"
            "  ok      no packet was dropped (none)\n"
            "  -       ports stay (no log)\n");
}

TEST(DoctorReport, Json) {
  const Facts facts = some_router();
  const nlohmann::json json = nlohmann::json::parse(report_json(some_report(facts)));
  EXPECT_EQ(json["device"]["board"], "RB5009UG+S+");
  EXPECT_EQ(json["device"]["identity"], "Bü\x1Bro");
  EXPECT_FALSE(json["device"].contains("uptime"));
  ASSERT_EQ(json["checks"].size(), 4u);
  EXPECT_EQ(json["checks"][3]["name"], "bad");
  EXPECT_EQ(json["checks"][3]["level"], "missing");
  EXPECT_EQ(json["checks"][3]["fix"], "`/thing/add`");
  EXPECT_FALSE(json["checks"][0].contains("fix"));
  EXPECT_EQ(json["missing"], 1);
  EXPECT_EQ(json["warnings"], 1);
  EXPECT_EQ(json["ready"], false);
  EXPECT_EQ(json["health"]["skipped"], "no agent \"mikroscope\" is installed");
}

// What is declared is applied, and counts as given.
class Collected final : public OptionSet {
 public:
  void add(const OptionSpec& spec, Apply apply) override {
    names.emplace_back(spec.names);
    applies.push_back(std::move(apply));
  }
  base::Result<void> give(const std::string& name, const std::string& value) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return applies[i](value, Origin::command_line);
    }
    return base::Error{"no option " + name, ""};
  }
  std::vector<std::string> names;
  std::vector<Apply> applies;
};

TEST(DeployOptions, AreThoseOfTheTable) {
  Collected set;
  DeployOptions options;
  options.declare(set);
  ASSERT_EQ(set.names.size(), routeros::all_options().size());
  ASSERT_TRUE(set.give("--rate", "50").ok());
  ASSERT_TRUE(set.give("--ephemeral", "1").ok());
  EXPECT_FALSE(set.give("--rate", "500").ok());
  EXPECT_EQ(options.given(), (std::set<std::string, std::less<>>{"ephemeral", "rate"}));
  EXPECT_EQ(options.options().agent_setting("RATE_HZ"), "50");
}

}  // namespace
}  // namespace mikroscope::cli
