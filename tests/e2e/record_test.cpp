// record and mark against an agent whose every misbehaviour is scripted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/host/utc.h"
#include "plot/markers.h"
#include "tests/support/fake_agent.h"
#include "tests/support/program.h"

namespace mikroscope::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using Json = nlohmann::json;

struct Recorded {
  explicit Recorded(const std::string& prefix)
      : lines(lines_of(slurp(prefix + ".jsonl"))),
        csv(lines_of(slurp(prefix + ".csv"))),
        meta(Json::parse(slurp(prefix + ".meta.json"), nullptr, false)) {
    for (const std::string& line : lines) {
      const Json json = Json::parse(line, nullptr, false);
      if (json.is_object() && json.contains("seq")) seqs.push_back(json["seq"].get<std::uint64_t>());
      all_parse = all_parse && json.is_object();
    }
    const auto file = plot::load_markers(prefix + ".markers.csv");
    if (file.ok()) markers = file->markers;
  }
  const plot::Marker* marker(const std::string& kind) const {
    for (const plot::Marker& m : markers) {
      if (m.kind == kind) return &m;
    }
    return nullptr;
  }
  // The sample's line as JSON.
  Json sample(std::uint64_t seq) const {
    for (const std::string& line : lines) {
      if (line.starts_with("{\"seq\":" + std::to_string(seq) + ",")) return Json::parse(line);
    }
    return {};
  }
  std::vector<std::string> lines;
  std::vector<std::string> csv;
  Json meta;
  std::vector<std::uint64_t> seqs;
  bool all_parse = true;
  std::vector<plot::Marker> markers;
};

std::vector<std::string> record_args(const FakeAgent& agent, const std::string& prefix,
                                     std::vector<std::string> more) {
  std::vector<std::string> out{"record", "--url", agent.url(), "--out", prefix};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Record, TwoSecondsAtTenHertz) {
  FakeAgent agent({});
  TempDir dir;
  const Exited exited = run(record_args(agent, dir / "x", {"--for", "2s"}));
  EXPECT_EQ(exited.code, 0) << exited.err;
  EXPECT_THAT(dir.names(), ElementsAre("x.csv", "x.jsonl", "x.markers.csv", "x.meta.json"));
  const Recorded r(dir / "x");
  EXPECT_TRUE(r.all_parse);
  EXPECT_THAT(r.seqs.size(), AllOf(Ge(19U), Le(21U)));
  for (std::size_t i = 1; i < r.seqs.size(); ++i) EXPECT_EQ(r.seqs[i], r.seqs[i - 1] + 1);
  ASSERT_EQ(r.csv.size(), r.seqs.size() + 1);
  EXPECT_THAT(r.lines[0], HasSubstr("{\"recording\":"));
  // 3 of 10 ticks on core 0 and 1 of 10 on core 1.
  EXPECT_THAT(r.csv[0], HasSubstr("seq,boot_ns,wall_ns,wall_utc,dt_ns,busy_total,cpu.0.user"));
  EXPECT_THAT(r.csv[1], HasSubstr(",100000000,0.2000,2,0,1,7,"));
  EXPECT_EQ(r.meta["complete"], true);
  EXPECT_EQ(r.meta["samples"], r.seqs.size());
  EXPECT_EQ(r.meta["gap_count"], 0);
  EXPECT_EQ(r.meta["agent"]["version"], "fake");
  EXPECT_EQ(r.meta["capabilities"]["kernel"], "6.1.0-fake");
  EXPECT_THAT(exited.out, HasSubstr("(seq " + std::to_string(r.seqs.front()) + ".." +
                                    std::to_string(r.seqs.back()) + "): 0 gaps, 0 restarts"));
  // What sha256sum says of the file is what the meta file says.
  Program sum({"/usr/bin/sha256sum", dir / "x.jsonl"});
  EXPECT_THAT(sum.wait(5000).out, HasSubstr(r.meta["jsonl_sha256"].get<std::string>()));
}

// Of an agent that is slow to reach, what it sampled while it was being greeted is older than the recording.
TEST(Record, BeginsWithTheFirstSampleAfterItsStart) {
  FakeAgent::Script script;
  script.delay_ms = 200;
  FakeAgent agent(script);
  TempDir dir;
  const Exited exited = run(record_args(agent, dir / "x", {"--for", "1s"}));
  ASSERT_EQ(exited.code, 0) << exited.err;
  const Recorded r(dir / "x");
  ASSERT_FALSE(r.seqs.empty());
  const base::Result<std::int64_t> started = base::parse_rfc3339(r.meta["started_utc"].get<std::string>());
  const base::Result<std::int64_t> ended = base::parse_rfc3339(r.meta["ended_utc"].get<std::string>());
  ASSERT_TRUE(started.ok() && ended.ok());
  constexpr std::int64_t kMs = 1'000'000;
  // Both are rounded to milliseconds.
  const std::int64_t late = r.sample(r.seqs.front())["wall_ns"].get<std::int64_t>() - *started;
  EXPECT_GE(late, -2 * kMs);
  EXPECT_LT(late, 1000 * kMs);  // one request and one period, on a busy machine
  EXPECT_GE(*ended - *started, 1000 * kMs);
  EXPECT_NEAR(r.meta["covered_s"].get<double>(), 1, 0.11);
}

TEST(Record, MarksFromFourProcessesAtOnceAreAllKept) {
  FakeAgent agent({});
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {"--for", "30s"})));
  ASSERT_TRUE(eventually(5000, [&] { return !slurp(dir / "x.meta.json.part").empty(); }));
  const std::string loop = "i=0; while [ $i -lt 50 ]; do " + mikroscope({})[0] + " mark --out " + dir / "x" +
                           " \"from shell $1, number $i\" >/dev/null || exit 1; i=$((i+1)); done";
  std::vector<std::unique_ptr<Program>> shells;
  for (const char* name : {"a", "b", "c", "d"}) {
    shells.push_back(std::make_unique<Program>(std::vector<std::string>{"/bin/sh", "-c", loop, "sh", name}));
  }
  for (auto& shell : shells) EXPECT_EQ(shell->wait(60000).code, 0);
  recorder.send(SIGINT);
  const Exited exited = recorder.wait(5000);
  EXPECT_EQ(exited.code, 0) << exited.err;
  EXPECT_THAT(exited.out, HasSubstr("200 markers"));
  const Recorded r(dir / "x");
  EXPECT_EQ(r.meta["markers"], 200);
  std::set<std::string> labels;
  for (const plot::Marker& m : r.markers) labels.insert(m.label);
  EXPECT_EQ(labels.size(), 200U);
  EXPECT_TRUE(labels.contains("from shell c, number 49"));
}

TEST(Record, AGapIsKeptWhereItIs) {
  FakeAgent::Script script;
  script.first_seq = 95;
  script.lost_from = 101;
  script.lost_to = 102;
  FakeAgent agent(script);
  TempDir dir;
  const Exited exited = run(record_args(agent, dir / "x", {"--for", "1500ms", "--from-start"}));
  EXPECT_EQ(exited.code, 0) << exited.err;
  const Recorded r(dir / "x");
  EXPECT_THAT(slurp(dir / "x.jsonl"), HasSubstr("\n{\"gap\":{\"from\":101,\"to\":102}}\n{\"seq\":103,"));
  const plot::Marker* const gap = r.marker("gap");
  ASSERT_NE(gap, nullptr);
  EXPECT_EQ(gap->boot_ns, r.sample(100)["boot_ns"].get<std::int64_t>());
  EXPECT_EQ(gap->until_boot_ns, r.sample(103)["boot_ns"].get<std::int64_t>());
  EXPECT_THAT(exited.out, HasSubstr("gap: samples 101..102"));
  EXPECT_EQ(r.meta["lost_samples"], 2);
}

TEST(Record, AnUnannouncedGapIsFoundAndWritten) {
  FakeAgent::Script script;
  script.first_seq = 95;
  script.lost_from = 101;
  script.lost_to = 102;
  script.announce_gap = false;
  FakeAgent agent(script);
  TempDir dir;
  // From the start, so that a slow beginning is not behind the gap already.
  EXPECT_EQ(run(record_args(agent, dir / "x", {"--for", "1500ms", "--from-start"})).code, 0);
  EXPECT_THAT(slurp(dir / "x.jsonl"), HasSubstr("{\"gap\":{\"from\":101,\"to\":102}}\n{\"seq\":103,"));
  EXPECT_EQ(Recorded(dir / "x").meta["gap_count"], 1);
}

void restart_is_survived(bool headers) {
  FakeAgent::Script script;
  script.headers = headers;
  script.first_seq = 500;
  FakeAgent agent(script);
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {"--for", "6s"})));
  ASSERT_TRUE(eventually(
      5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":505,") != std::string::npos; }));
  agent.restart();
  const Exited exited = recorder.wait(12000);
  EXPECT_EQ(exited.code, 0) << exited.err;
  const Recorded r(dir / "x");
  EXPECT_EQ(r.meta["restarts"], 1);
  EXPECT_THAT(exited.out, HasSubstr("1 restart,"));
  EXPECT_THAT(exited.out, HasSubstr("(2 instances of the agent): "));
  EXPECT_THAT(exited.out, Not(HasSubstr("(seq ")));
  const auto again = std::find(r.seqs.begin(), r.seqs.end(), 1U);
  ASSERT_NE(again, r.seqs.end());
  for (auto it = again; it + 1 != r.seqs.end(); ++it) EXPECT_EQ(it[1], it[0] + 1);
  EXPECT_GE(r.seqs.end() - again, 10);
  EXPECT_EQ(
      std::count_if(r.markers.begin(), r.markers.end(), [](const auto& m) { return m.kind == "restart"; }),
      1);
  EXPECT_THAT(slurp(dir / "x.jsonl"), HasSubstr("{\"restart\":{"));
  EXPECT_EQ(r.meta["segments"].size(), 2U);
}
TEST(Record, GoesOnOverARestartOfTheAgent) {
  restart_is_survived(true);
}
TEST(Record, GoesOnOverARestartOfAnAgentThatNamesNoInstance) {
  restart_is_survived(false);
}

TEST(Record, ARebootIsSaid) {
  FakeAgent agent({});
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {"--for", "4s"})));
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":5,") != std::string::npos; }));
  agent.restart(/*reboot=*/true);
  EXPECT_EQ(recorder.wait(12000).code, 0);
  EXPECT_THAT(slurp(dir / "x.jsonl"), HasSubstr("\"reboot\":true"));
}

TEST(Record, AWrongTokenEndsAtOnceAndLeavesNothing) {
  FakeAgent::Script script;
  script.token = "right";
  FakeAgent agent(script);
  TempDir dir;
  const std::int64_t begun = now_ms();
  Program::Options options;
  options.env = {"MIKROSCOPE_TOKEN=wrong"};
  const Exited exited = run(record_args(agent, dir / "x", {"--for", "10s"}), options);
  EXPECT_EQ(exited.code, 3);
  EXPECT_LT(now_ms() - begun, 3000);
  EXPECT_THAT(exited.err, HasSubstr("refuses the token"));
  EXPECT_THAT(exited.err, HasSubstr("MIKROSCOPE_TOKEN"));
  EXPECT_THAT(dir.names(), IsEmpty());
  EXPECT_EQ(run(record_args(agent, dir / "y", {"--for", "10s"})).code, 3);  // none at all

  spill(dir / "token", "right\n");
  ASSERT_EQ(::chmod((dir / "token").c_str(), 0644), 0);  // a secret that others can read is none
  const Exited open = run(record_args(agent, dir / "z", {"--for", "1s", "--token-file", dir / "token"}));
  EXPECT_EQ(open.code, 5);
  EXPECT_THAT(open.err, HasSubstr("--token-file"));
  ASSERT_EQ(::chmod((dir / "token").c_str(), 0600), 0);
  EXPECT_EQ(run(record_args(agent, dir / "z", {"--for", "1s", "--token-file", dir / "token"})).code, 0);
  options.env = {"MIKROSCOPE_TOKEN=right"};
  EXPECT_EQ(run(record_args(agent, dir / "w", {"--for", "1s"}), options).code, 0);
}

TEST(Record, ATriggerIsNoSample) {
  FakeAgent::Script script;
  script.before[1] =
      "{\"trigger\":{\"id\":7,\"cause\":\"busy>=0.95\",\"field\":\"cpu[2].busy_ratio\",\"value\":1,"
      "\"threshold\":0.95,\"seq\":1,\"wall_ns\":0}}\n";
  script.before[2] =
      "{\"log\":{\"level\":4,\"facility\":0,\"record\":9,\"boot_ns\":1,\"message\":\"eth1: link down\"}}\n";
  script.pages["/captures/7"] =
      "{\"capture\":{\"id\":7,\"complete\":true}}\n{\"seq\":1,\"boot_ns\":1,\"wall_ns\":1,\"dt_ns\":1}\n";
  FakeAgent agent(script);
  TempDir dir;
  const Exited exited =
      run(record_args(agent, dir / "x", {"--for", "2s", "--from-start", "--fetch-captures"}));
  EXPECT_EQ(exited.code, 0) << exited.err;
  const Recorded r(dir / "x");
  ASSERT_FALSE(r.seqs.empty());
  EXPECT_EQ(r.seqs.front(), 1U);
  EXPECT_EQ(r.csv.size(), r.seqs.size() + 1);
  EXPECT_THAT(r.csv[0], HasSubstr("cpu.1.user"));
  EXPECT_EQ(r.meta["samples"], r.seqs.size());
  const plot::Marker* const trigger = r.marker("trigger");
  ASSERT_NE(trigger, nullptr);
  EXPECT_EQ(trigger->label, "busy>=0.95 (cpu[2].busy_ratio = 1)");
  EXPECT_EQ(trigger->boot_ns, r.sample(1)["boot_ns"].get<std::int64_t>());
  EXPECT_EQ(slurp(dir / "x.capture-7.jsonl"), script.pages["/captures/7"]);
  EXPECT_THAT(slurp(dir / "x.jsonl"), HasSubstr(script.before[2]));  // verbatim
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++n;
  return n;
}

TEST(Record, ASilentAgentIsWarnedOfOnceAndWaitedFor) {
  FakeAgent agent({});
  TempDir dir;
  Program::Options options;
  options.terminal = true;
  Program recorder(mikroscope(record_args(agent, dir / "x", {"--for", "10s"})), options);
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":8,") != std::string::npos; }));
  // The connection stays open and nothing comes: the worst case, since no error says so.
  agent.silent(true);
  const std::int64_t begun = now_ms();
  EXPECT_TRUE(eventually(4000, [&] { return recorder.out().find("STALLED") != std::string::npos; }));
  // Markers do not wait for the agent.
  recorder.write_input("while it hangs\n");
  EXPECT_TRUE(eventually(1500, [&] {
    (void)recorder.out();
    return slurp(dir / "x.markers.csv").find("while it hangs") != std::string::npos;
  }));
  // The status goes on counting.
  EXPECT_TRUE(eventually(5000, [&] {
    const std::string out = recorder.out();
    return out.find("STALLED 0:04") != std::string::npos || out.find("STALLED 0:05") != std::string::npos;
  }));
  ASSERT_TRUE(eventually(6000, [&] { return now_ms() - begun >= 5000; }));
  agent.silent(false);
  const Exited exited = recorder.wait(12000);
  EXPECT_EQ(exited.code, 0) << exited.out;
  EXPECT_EQ(count_of(exited.out, "does not answer"), 1U) << exited.out;
  EXPECT_EQ(count_of(exited.out, "pull:"), 1U) << exited.out;
  EXPECT_EQ(count_of(exited.out, "answers again after"), 1U) << exited.out;
  const Recorded r(dir / "x");
  EXPECT_TRUE(r.all_parse);
  EXPECT_EQ(r.meta["complete"], true);
  EXPECT_EQ(r.meta["gap_count"], 0);  // the ring held what came meanwhile
  for (std::size_t i = 1; i < r.seqs.size(); ++i) EXPECT_EQ(r.seqs[i], r.seqs[i - 1] + 1);
  EXPECT_THAT(r.seqs.size(), AllOf(Ge(98U), Le(101U)));
  ASSERT_EQ(r.markers.size(), 1U);
}

TEST(Record, CtrlCEndsARecordingWhoseAgentHangs) {
  FakeAgent agent({});
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {})));
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":8,") != std::string::npos; }));
  agent.silent(true);
  const int before = agent.requests();
  ASSERT_TRUE(eventually(3000, [&] { return agent.requests() > before; }));
  recorder.send(SIGINT);
  const Exited exited = recorder.wait(9000);  // the last pull is given up after 5 s
  EXPECT_EQ(exited.code, 0) << exited.err;
  EXPECT_EQ(count_of(exited.err, "pull:"), 1U) << exited.err;
  EXPECT_EQ(Recorded(dir / "x").meta["complete"], true);
}

TEST(Record, StoppedAndContinuedItGoesOn) {
  FakeAgent agent({});
  TempDir dir;
  Program::Options options;
  options.terminal = true;
  Program recorder(mikroscope(record_args(agent, dir / "x", {"--for", "6s"})), options);
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":8,") != std::string::npos; }));
  recorder.send(SIGSTOP);  // as Ctrl-Z does to a job; an orphaned process group ignores SIGTSTP
  ASSERT_TRUE(eventually(2000, [&] { return process_state(recorder.pid()) == 'T'; }));
  const std::uint64_t then = agent.newest();
  ASSERT_TRUE(eventually(4000, [&] { return agent.newest() >= then + 20; }));
  recorder.send(SIGCONT);
  const Exited exited = recorder.wait(12000);
  EXPECT_EQ(exited.code, 0) << exited.out;
  const Recorded r(dir / "x");
  EXPECT_EQ(r.meta["gap_count"], 0);
  for (std::size_t i = 1; i < r.seqs.size(); ++i) EXPECT_EQ(r.seqs[i], r.seqs[i - 1] + 1);
  EXPECT_THAT(r.seqs.size(), AllOf(Ge(58U), Le(61U)));
}

TEST(Record, AnAgentThatIsGoneIsWarnedOfOnce) {
  FakeAgent::Script script;
  auto agent = std::make_unique<FakeAgent>(script);
  TempDir dir;
  Program recorder(mikroscope(record_args(*agent, dir / "x", {"--for", "5s"})));
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":5,") != std::string::npos; }));
  agent.reset();
  const Exited exited = recorder.wait(15000);
  EXPECT_EQ(exited.code, 0) << exited.err;
  std::size_t warnings = 0;
  for (const std::string& line : lines_of(exited.err))
    warnings += line.find("pull:") != std::string::npos ? 1 : 0;
  EXPECT_EQ(warnings, 1U) << exited.err;
}

TEST(Record, NoSamplesIsAFailureThatLeavesNothing) {
  FakeAgent::Script script;
  script.samples = false;
  FakeAgent agent(script);
  TempDir dir;
  const Exited exited = run(record_args(agent, dir / "x", {"--for", "1s"}));
  EXPECT_EQ(exited.code, 4);
  EXPECT_THAT(exited.err, HasSubstr("no samples"));
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(Record, LinesOfAPipeBecomeMarkers) {
  FakeAgent agent({});
  TempDir dir;
  spill(dir / "in", "a\n\n  b  \n");
  Program::Options options;
  options.input = dir / "in";
  const Exited exited =
      run(record_args(agent, dir / "x", {"--for", "1500ms", "--markers-from", "-"}), options);
  EXPECT_EQ(exited.code, 0) << exited.err;
  const Recorded r(dir / "x");
  ASSERT_EQ(r.markers.size(), 2U);
  EXPECT_EQ(r.markers[0].label, "a");
  EXPECT_EQ(r.markers[1].label, "b");
  EXPECT_LT(*r.markers[0].boot_ns, *r.markers[1].boot_ns);
  EXPECT_THAT(r.seqs.size(), Ge(14U));  // the end of the input did not end the recording
}

TEST(Record, LinesOfAFifoBecomeMarkersOfManyWriters) {
  FakeAgent agent({});
  TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  Program recorder(
      mikroscope(record_args(agent, dir / "x", {"--for", "20s", "--markers-from", dir / "fifo"})));
  ASSERT_TRUE(eventually(5000, [&] { return !slurp(dir / "x.meta.json.part").empty(); }));
  for (const std::string text : {"one", "two"}) {
    Program writer({"/bin/sh", "-c", "echo " + text + " > " + dir / "fifo"});
    EXPECT_EQ(writer.wait(5000).code, 0);
  }
  EXPECT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.markers.csv").find("two") != std::string::npos; }));
  recorder.send(SIGTERM);
  EXPECT_EQ(recorder.wait(5000).code, 0);
  const Recorded r(dir / "x");
  ASSERT_EQ(r.markers.size(), 2U);
  EXPECT_EQ(r.markers[0].label, "one");
}

TEST(Record, StandardInputIsLeftAloneUnlessAskedFor) {
  FakeAgent agent({});
  TempDir dir;
  spill(dir / "in", "not a marker\n");
  Program::Options options;
  options.input = dir / "in";
  EXPECT_EQ(run(record_args(agent, dir / "x", {"--for", "1s"}), options).code, 0);
  EXPECT_THAT(Recorded(dir / "x").markers, IsEmpty());
}

TEST(Record, CtrlCOnceDrainsAndSucceeds) {
  FakeAgent agent({});
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {})));
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":8,") != std::string::npos; }));
  const std::uint64_t newest = agent.newest();
  recorder.send(SIGINT);
  const Exited exited = recorder.wait(3000);
  EXPECT_EQ(exited.code, 0) << exited.err;
  const Recorded r(dir / "x");
  EXPECT_GE(r.seqs.back(), newest);  // what the agent had then is in it
  EXPECT_EQ(r.meta["complete"], true);
  EXPECT_EQ(r.meta["ended_by"], "signal");
}

TEST(Record, CtrlCTwiceEndsAtOnceWithWholeFiles) {
  FakeAgent agent({});
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {})));
  ASSERT_TRUE(
      eventually(5000, [&] { return slurp(dir / "x.jsonl.part").find("{\"seq\":8,") != std::string::npos; }));
  agent.silent(true);  // the drain hangs
  const int before = agent.requests();
  ASSERT_TRUE(eventually(3000, [&] { return agent.requests() > before; }));
  recorder.send(SIGINT);
  const int asked = agent.requests();
  ASSERT_TRUE(eventually(3000, [&] { return agent.requests() > asked; })) << "no last pull";
  const std::int64_t begun = now_ms();
  recorder.send(SIGINT);
  const Exited exited = recorder.wait(5000);
  EXPECT_LT(now_ms() - begun, 1000);
  EXPECT_EQ(exited.code, 130) << exited.err;
  const Recorded r(dir / "x");
  EXPECT_TRUE(r.all_parse);
  EXPECT_GE(r.seqs.size(), 7U);
  EXPECT_EQ(r.meta["complete"], false);
  EXPECT_THAT(dir.names(), ElementsAre("x.csv", "x.jsonl", "x.markers.csv", "x.meta.json"));
}

TEST(Record, AKilledRecordingIsRecovered) {
  FakeAgent agent({});
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {})));
  ASSERT_TRUE(eventually(8000, [&] { return agent.newest() >= 31; }));
  recorder.send(SIGKILL);
  recorder.wait(2000);
  // At most a second's worth is lost.
  const std::vector<std::string> kept = lines_of(slurp(dir / "x.jsonl.part"));
  EXPECT_GE(kept.size(), 20U);
  spill(dir / "x.jsonl.part", slurp(dir / "x.jsonl.part") + "{\"seq\":9999,\"boot_ns\":12");  // a cut line
  spill(dir / "keep.csv", "untouched");

  const Exited refused = run(record_args(agent, dir / "x", {"--for", "1s"}));
  EXPECT_EQ(refused.code, 5);
  EXPECT_THAT(refused.err, HasSubstr("record --recover " + (dir / "x")));
  const Exited drawn = run({"plot", dir / "x", "--out", dir / "part.svg"});
  EXPECT_EQ(drawn.code, 0) << drawn.err;

  const Exited recovered = run({"record", "--recover", dir / "x"});
  EXPECT_EQ(recovered.code, 0) << recovered.err;
  EXPECT_THAT(recovered.out, HasSubstr("cut off"));
  const Recorded r(dir / "x");
  EXPECT_TRUE(r.all_parse);
  EXPECT_EQ(r.lines.size(), kept.size());
  EXPECT_EQ(r.csv.size(), r.seqs.size() + 1);
  EXPECT_EQ(r.meta["complete"], false);
  EXPECT_EQ(r.meta["ended_by"], "recovered");
  EXPECT_EQ(r.meta["samples"], r.seqs.size());
  EXPECT_FALSE(std::filesystem::exists(dir / "x.jsonl.part"));
  EXPECT_EQ(run({"record", "--recover", dir / "x"}).code, 4);
}

TEST(Record, AnOldRecordingIsNotOverwritten) {
  FakeAgent agent({});
  TempDir dir;
  for (const char* name : {"x.jsonl", "x.csv", "x.markers.csv", "x.meta.json"}) spill(dir / name, "old");
  const int before = agent.requests();
  const Exited exited = run(record_args(agent, dir / "x", {"--for", "1s"}));
  EXPECT_EQ(exited.code, 5);
  EXPECT_THAT(exited.err, HasSubstr("--force"));
  EXPECT_EQ(agent.requests(), before);
  for (const char* name : {"x.jsonl", "x.csv", "x.markers.csv", "x.meta.json"})
    EXPECT_EQ(slurp(dir / name), "old");
  EXPECT_EQ(run(record_args(agent, dir / "x", {"--for", "1s", "--force"})).code, 0);
  EXPECT_GE(Recorded(dir / "x").seqs.size(), 9U);
}

TEST(Record, ForceKeepsTheOldRecordingWhenThereIsNoNewOne) {
  FakeAgent::Script script;
  script.samples = false;
  FakeAgent agent(script);
  TempDir dir;
  for (const char* name : {"x.jsonl", "x.csv", "x.markers.csv", "x.meta.json"}) spill(dir / name, "old");
  EXPECT_EQ(run(record_args(agent, dir / "x", {"--for", "1s", "--force"})).code, 4);
  for (const char* name : {"x.jsonl", "x.csv", "x.markers.csv", "x.meta.json"})
    EXPECT_EQ(slurp(dir / name), "old");
}

TEST(Record, TwoRecordersDoNotShareAPrefix) {
  FakeAgent agent({});
  TempDir dir;
  Program first(mikroscope(record_args(agent, dir / "x", {"--for", "20s"})));
  ASSERT_TRUE(eventually(5000, [&] { return !slurp(dir / "x.meta.json.part").empty(); }));
  for (const bool force : {false, true}) {
    const Exited second = run(record_args(
        agent, dir / "x", force ? std::vector<std::string>{"--force"} : std::vector<std::string>{}));
    EXPECT_EQ(second.code, 5);
    EXPECT_THAT(second.err, HasSubstr("another recorder"));
  }
  EXPECT_EQ(run({"record", "--recover", dir / "x"}).code, 5);
  first.send(SIGINT);
  EXPECT_EQ(first.wait(5000).code, 0);
  EXPECT_TRUE(Recorded(dir / "x").all_parse);
}

TEST(Record, AMissingDirectoryIsSaidBeforeAnyConnection) {
  FakeAgent agent({});
  TempDir dir;
  const Exited exited = run(record_args(agent, dir / "no/x", {"--for", "1s"}));
  EXPECT_EQ(exited.code, 1);
  EXPECT_THAT(exited.err, HasSubstr("there is no directory"));
  EXPECT_EQ(agent.requests(), 0);
  EXPECT_THAT(dir.names(), IsEmpty());
}

TEST(Record, AClockStepIsAMarkerAndBendsNothing) {
  FakeAgent::Script script;
  script.step_from = 8;
  script.step_ns = -3600 * base::kNsPerSecond;
  FakeAgent agent(script);
  TempDir dir;
  EXPECT_EQ(run(record_args(agent, dir / "x", {"--for", "2s", "--from-start"})).code, 0);
  const Recorded r(dir / "x");
  const plot::Marker* const step = r.marker("clock-step");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->label, "wall clock -1h");
  EXPECT_EQ(step->boot_ns, r.sample(8)["boot_ns"].get<std::int64_t>());
  EXPECT_EQ(r.meta["clock_steps"], 1);
}

TEST(Record, WhatIsAbsentIsAnEmptyCell) {
  FakeAgent::Script script;
  script.without_mem = 3;
  FakeAgent agent(script);
  TempDir dir;
  EXPECT_EQ(run(record_args(agent, dir / "x",
                            {"--for", "1s", "--from-start", "--csv", "mem.total_kb,mem.used_kb,busy_total"}))
                .code,
            0);
  const Recorded r(dir / "x");
  EXPECT_EQ(r.csv[0], "seq,boot_ns,wall_ns,wall_utc,dt_ns,busy_total,mem.total_kb,mem.used_kb");
  EXPECT_THAT(r.csv[2], testing::EndsWith(",0.2000,1024000,512000"));
  EXPECT_THAT(r.csv[3], testing::EndsWith(",0.2000,,"));
}

TEST(Record, AgentsClockIsUsedForMarkers) {
  FakeAgent::Script script;
  script.boot_offset_ns = 1000 * base::kNsPerSecond;
  script.wall_offset_ns = -7 * base::kNsPerSecond;
  FakeAgent agent(script);
  TempDir dir;
  Program recorder(mikroscope(record_args(agent, dir / "x", {"--for", "20s"})));
  ASSERT_TRUE(eventually(5000, [&] { return !slurp(dir / "x.meta.json.part").empty(); }));
  const std::int64_t before = base::boot_ns() + script.boot_offset_ns;
  EXPECT_EQ(run({"mark", "--out", dir / "x", "flags", "--kind", "phase", "anywhere"}).code, 0);
  const std::int64_t after = base::boot_ns() + script.boot_offset_ns;
  recorder.send(SIGINT);
  EXPECT_EQ(recorder.wait(5000).code, 0);
  const Recorded r(dir / "x");
  ASSERT_EQ(r.markers.size(), 1U);
  EXPECT_EQ(r.markers[0].label, "flags anywhere");
  EXPECT_EQ(r.markers[0].kind, "phase");
  EXPECT_GE(*r.markers[0].boot_ns, before - 20'000'000);
  EXPECT_LE(*r.markers[0].boot_ns, after + 20'000'000);
  EXPECT_LT(std::abs(base::wall_ns() - 7 * base::kNsPerSecond - r.markers[0].wall_ns),
            10 * base::kNsPerSecond);
}

TEST(Record, AFullDiskKeepsWhatIsWhole) {
  FakeAgent::Script script;
  script.rate_hz = 100;
  FakeAgent agent(script);
  TempDir dir;
  // A limit on the size of files stands for a full disk; SIGXFSZ ignored makes writes fail instead.
  Program recorder({"/bin/sh", "-c",
                    "trap '' XFSZ; ulimit -f 64; exec \"$0\" record --url " + agent.url() + " --out " +
                        dir / "x" + " --for 20s",
                    mikroscope({})[0]});
  const Exited exited = recorder.wait(15000);
  EXPECT_EQ(exited.code, 1);
  EXPECT_THAT(exited.err, AllOf(HasSubstr("cannot write"), HasSubstr("are kept in")));
  const Recorded r(dir / "x");
  EXPECT_TRUE(r.all_parse);
  EXPECT_GT(r.seqs.size(), 20U);
  EXPECT_EQ(r.meta["complete"], false);
}

}  // namespace
}  // namespace mikroscope::test
