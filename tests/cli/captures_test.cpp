// The verb captures against an agent of this build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/agent_link.h"
#include "cli/local_agent.h"
#include "plot/markers.h"
#include "tests/support/program.h"

namespace mikroscope::cli {
namespace {

using test::Exited;
using test::run;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Json = nlohmann::json;

class CapturesVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("MIKROSCOPE_AGENT", MIKROSCOPE_BINARY_DIR "/mikroscope-agent", 1);
    auto started = LocalAgent::start({50,
                                      60,
                                      {{"CAPTURE_PRE_S", "1"},
                                       {"CAPTURE_POST_S", "1"},
                                       {"TRIGGERS", ""},
                                       {"TRIGGER_REFRACTORY_S", "10"}}});
    ::unsetenv("MIKROSCOPE_AGENT");
    ASSERT_TRUE(started.ok()) << started.error().what;
    agent_ = std::move(*started);
    link_ = make_direct_link(agent_->url(), agent_->token());
    ASSERT_TRUE(test::eventually(10'000, [&] { return link_->health()->newest_seq.value_or(0) >= 60; }));
  }
  Exited captures(std::vector<std::string> words) {
    words.insert(words.begin(), "captures");
    words.insert(words.end(), {"--url", agent_->url()});
    test::Program::Options options;
    options.env = {"MIKROSCOPE_TOKEN=" + agent_->token()};
    return run(words, options);
  }
  std::unique_ptr<LocalAgent> agent_;
  std::unique_ptr<AgentLink> link_;
};

TEST_F(CapturesVerb, ArmListGetAndRemove) {
  EXPECT_THAT(captures({}).out, HasSubstr("no captures"));
  const Exited armed = captures({"arm", "upload", "is", "slow"});
  EXPECT_EQ(armed.code, 0) << armed.err;
  EXPECT_THAT(armed.out, HasSubstr("capture 1 has begun"));
  ASSERT_TRUE(test::eventually(
      10'000, [&] { return link_->fetch("/captures")->find("\"complete\":true") != std::string::npos; }));
  const Exited listed = captures({"list"});
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.out, AllOf(HasSubstr("   1  "), HasSubstr("manual")));
  EXPECT_THAT(Json::parse(captures({"list", "--json"}).out)["captures"], SizeIs(1));

  test::TempDir dir;
  const Exited got = captures({"get", "1", "--out", dir / "c"});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_THAT(dir.names(), ElementsAre("c.csv", "c.jsonl", "c.markers.csv", "c.meta.json"));
  const Json meta = Json::parse(test::slurp(dir / "c.meta.json"));
  EXPECT_EQ(meta["complete"], true);
  EXPECT_EQ(meta["capture"]["id"], 1);
  const auto markers = plot::load_markers(dir / "c.markers.csv");
  ASSERT_TRUE(markers.ok());
  ASSERT_THAT(markers->markers, SizeIs(1));
  EXPECT_EQ(markers->markers[0].kind, "trigger");
  EXPECT_THAT(markers->markers[0].label, HasSubstr("upload is slow"));
  const Exited drawn = run({"plot", dir / "c"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(captures({"get", "1", "--out", dir / "c"}).code, 5);  // not over what is there

  EXPECT_EQ(captures({"arm"}).code, 5);  // too soon after the last
  EXPECT_EQ(captures({"rm", "1"}).code, 0);
  const Exited gone = captures({"rm", "1"});
  EXPECT_EQ(gone.code, 4);
  EXPECT_THAT(gone.err, HasSubstr("try: mikroscope captures list"));
}

TEST_F(CapturesVerb, WordsThatMeanNothingAreRefused) {
  for (const auto& [words, what] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"gett", "1"}, "did you mean get?"},
           {{"get"}, "takes the number of one capture"},
           {{"get", "x"}, "takes the number of one capture"},
           {{"list", "1"}, "takes nothing further"},
           {{"arm", std::string(129, 'x')}, "at most 128 bytes"}}) {
    const Exited exited = captures(words);
    EXPECT_EQ(exited.code, 2) << what;
    EXPECT_THAT(exited.err, HasSubstr(what));
  }
}

}  // namespace
}  // namespace mikroscope::cli
