// The reading verbs against a double of a router: one login, no write, no secret where it does not belong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/host/utc.h"
#include "plot/markers.h"
#include "tests/e2e/relay_double.h"

namespace mikroscope::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;
using Json = nlohmann::json;

class OnTheDouble : public ::testing::Test {
 protected:
  void start(RelayDouble::Settings settings = {}) {
    double_ = std::make_unique<RelayDouble>(std::move(settings));
    if (double_->trouble().starts_with("absent")) GTEST_SKIP() << double_->trouble();
    ASSERT_EQ(double_->trouble(), "");
  }
  Exited cli(std::vector<std::string> words) const {
    const std::vector<std::string> more = double_->flags();
    words.insert(words.end(), more.begin(), more.end());
    return run(words, double_->environment());
  }
  // Nothing of what the CLI asked for changed the router, and nothing that was written down holds a secret.
  void expect_clean(const std::string& directory, std::size_t from_request) const {
    const std::vector<std::string> requests = double_->requests();
    for (std::size_t i = from_request; i < requests.size(); ++i) {
      EXPECT_THAT(requests[i], Not(HasSubstr("\"writes\":true")));
      EXPECT_THAT(requests[i], Not(HasSubstr(double_->token())));
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = slurp(entry.path());
      EXPECT_THAT(text, Not(HasSubstr(double_->token()))) << entry.path();
      EXPECT_THAT(text, Not(HasSubstr(double_->password()))) << entry.path();
    }
  }
  std::unique_ptr<RelayDouble> double_;
};

// A recording of so many seconds at 100 Hz without a gap. An agent of a busy machine may miss some ticks.
void expect_whole(const Json& meta, double seconds) {
  EXPECT_NEAR(meta["covered_s"].get<double>(), seconds, 0.1);
  EXPECT_THAT(meta["samples"].get<double>(), AllOf(Ge(80 * seconds), Le(100 * seconds + 2)));
  EXPECT_EQ(meta["gap_count"], 0);
  // Of this machine's clock, both: nothing from before the start, and the whole time from there on.
  const auto started = base::parse_rfc3339(meta["started_utc"].get<std::string>());
  const auto ended = base::parse_rfc3339(meta["ended_utc"].get<std::string>());
  ASSERT_TRUE(started.ok() && ended.ok());
  // As well as the clocks could be compared.
  const std::int64_t slack = meta["clock"]["measurements"][0]["rtt_ns"].get<std::int64_t>() + 2'000'000;
  EXPECT_GE(meta["first"]["wall_ns"].get<std::int64_t>() - *started, -slack);
  EXPECT_GE(static_cast<double>(*ended - *started) / 1e9, seconds - 0.05);
}

class RelayOnTheDouble : public OnTheDouble {};

TEST_F(RelayOnTheDouble, RecordsAHundredHertzThroughTheRouter) {
  start();
  if (IsSkipped()) return;
  const std::size_t before = double_->requests().size();
  TempDir dir;
  const Exited exited = cli({"record", "--transport", "relay", "--for", "3s", "--out", dir / "x"});
  ASSERT_EQ(exited.code, 0) << exited.err;
  const Json meta = Json::parse(slurp(dir / "x.meta.json"));
  expect_whole(meta, 3);
  EXPECT_EQ(meta["target"]["kind"], "router");
  EXPECT_EQ(meta["target"]["transport"], "relay");
  EXPECT_EQ(meta["router"]["identity"], "MikroTik");
  EXPECT_THAT(meta["router"]["version"].get<std::string>(), HasSubstr("7.24.2"));
  EXPECT_TRUE(meta["router"].contains("uptime_s"));
  EXPECT_EQ(double_->logins(), 1U);
  expect_clean(dir.path(), before);
  EXPECT_THAT(exited.out, AllOf(HasSubstr("relayed by")));
}

TEST_F(RelayOnTheDouble, TakesTheStraightWayWhereItWorks) {
  start();
  if (IsSkipped()) return;
  TempDir dir;
  const Exited exited = cli({"record", "--for", "1s", "--out", dir / "x"});
  ASSERT_EQ(exited.code, 0) << exited.err;
  const Json meta = Json::parse(slurp(dir / "x.meta.json"));
  EXPECT_EQ(meta["target"]["transport"], "direct");
  expect_whole(meta, 1);
  EXPECT_EQ(double_->logins(), 1U);
}

TEST_F(RelayOnTheDouble, WhatIsMissingIsSaid) {
  start();
  if (IsSkipped()) return;
  TempDir dir;
  Exited exited = cli({"record", "--out", dir / "x", "--name", "second"});
  EXPECT_EQ(exited.code, 4) << exited.err;
  EXPECT_THAT(exited.err, HasSubstr("there is no installation \"second\""));
  exited = cli({"record", "--out", dir / "x", "--transport", "exposed"});
  EXPECT_EQ(exited.code, 4);
  EXPECT_THAT(exited.err, HasSubstr("is not exposed"));
  Program::Options wrong = double_->environment();
  wrong.env = {"HOME=" + double_->home(), "MIKROSCOPE_PASSWORD=wrong"};
  std::vector<std::string> words{"captures"};
  for (const std::string& word : double_->flags()) words.push_back(word);
  exited = run(words, wrong);
  EXPECT_EQ(exited.code, 3) << exited.err;
  EXPECT_THAT(dir.names(), IsEmpty());
}

class CapturesOnTheDouble : public OnTheDouble {};

TEST_F(CapturesOnTheDouble, ThroughTheRelay) {
  start({100, {"CAPTURE_PRE_S=2", "CAPTURE_POST_S=1"}, {}});
  if (IsSkipped()) return;
  const Exited armed = cli({"captures", "arm", "why", "not", "--transport", "relay"});
  ASSERT_EQ(armed.code, 0) << armed.err;
  EXPECT_THAT(armed.out, HasSubstr("capture 1 has begun"));
  ASSERT_TRUE(eventually(15'000, [&] {
    return cli({"captures", "--json", "--transport", "relay"}).out.find("\"complete\": true") !=
           std::string::npos;
  }));
  TempDir dir;
  const Exited got = cli({"captures", "get", "1", "--transport", "relay", "--out", dir / "c"});
  ASSERT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(dir.names(), ElementsAre("c.csv", "c.jsonl", "c.markers.csv", "c.meta.json"));
  const Json meta = Json::parse(slurp(dir / "c.meta.json"));
  EXPECT_EQ(meta["complete"], true);
  EXPECT_GE(meta["samples"].get<int>(), 101);
  EXPECT_EQ(run({"plot", dir / "c"}).code, 0);
  EXPECT_EQ(cli({"captures", "rm", "1", "--transport", "relay"}).code, 0);
}

class LogMarkersOnTheDouble : public OnTheDouble {};

TEST_F(LogMarkersOnTheDouble, ALineOfTheLogIsAMarkerWhereItHappened) {
  start();
  if (IsSkipped()) return;
  TempDir dir;
  std::vector<std::string> words = mikroscope({"record", "--transport", "relay", "--for", "5s",
                                               "--log-markers", "--topics", "account", "--out", dir / "x"});
  for (const std::string& word : double_->flags()) words.push_back(word);
  Program recorder(words, double_->environment());
  ASSERT_TRUE(eventually(10'000, [&] { return !slurp(dir / "x.meta.json.part").empty(); })) << recorder.err();
  ASSERT_NE(double_->session(), nullptr);  // "user admin logged in … via api"
  const Exited exited = recorder.wait(15'000);
  ASSERT_EQ(exited.code, 0) << exited.err;
  const auto file = plot::load_markers(dir / "x.markers.csv");
  ASSERT_TRUE(file.ok());
  std::size_t found = 0;
  for (const plot::Marker& m : file->markers) {
    if (m.kind != "log" || m.label.find("logged in") == std::string::npos) continue;
    ++found;
    EXPECT_TRUE(m.boot_ns.has_value());
  }
  EXPECT_GE(found, 1U) << exited.out << exited.err;
  EXPECT_EQ(double_->logins(), 1U);
  // The log knows whole seconds: what it says until the second of the last sample is over belongs to the
  // recording, so also the logout of the recorder, which read the log before that.
  const Json meta = Json::parse(slurp(dir / "x.meta.json"));
  const std::int64_t last_s = meta["last"]["wall_ns"].get<std::int64_t>() / base::kNsPerSecond;
  ASSERT_TRUE(eventually(5'000, [&] { return base::wall_ns() / base::kNsPerSecond > last_s; }));
  const std::vector<std::string> mark{"mark", "--out", dir / "x", "--log-markers", "--topics", "account"};
  EXPECT_EQ(cli(mark).code, 0);
  // Once more adds nothing: not again what is there, and not its own login, which came later.
  const std::string markers = slurp(dir / "x.markers.csv");
  const Exited again = cli(mark);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("0 log markers added"));
  EXPECT_EQ(slurp(dir / "x.markers.csv"), markers);
}

class ProfileOnTheDouble : public OnTheDouble {};

TEST_F(ProfileOnTheDouble, ANameIsEnough) {
  start();
  if (IsSkipped()) return;
  const std::string config = double_->home() + "/config.toml";
  spill(config, "[router.home]\nhost = \"" + double_->address() +
                    "\"\nvia = \"api\"\napi-plain = true\napi-port = " + std::to_string(double_->api_port()) +
                    "\ntransport = \"relay\"\npassword = \"" + double_->password() + "\"\n");
  std::filesystem::permissions(config, std::filesystem::perms(0600));
  Program::Options options;
  options.env = {"HOME=" + double_->home(), "MIKROSCOPE_CONFIG=" + config};
  TempDir dir;
  const Exited exited = run({"record", "--router", "home", "--for", "1s", "--out", dir / "x"}, options);
  ASSERT_EQ(exited.code, 0) << exited.err;
  const Json meta = Json::parse(slurp(dir / "x.meta.json"));
  EXPECT_EQ(meta["target"]["router"], "home");
  EXPECT_EQ(meta["target"]["transport"], "relay");
  expect_whole(meta, 1);
}

}  // namespace
}  // namespace mikroscope::test
