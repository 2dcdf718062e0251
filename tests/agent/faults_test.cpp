// Faults that agents of this kind are known to have had. Each is a test, here or where its part is tested:
//
//   a puller whose cursor is ahead waits for ever after a restart Faults.ACursorFromTheFutureIsToldOfARestart
//   differences of a counter against itself                         PerfCounters.*, Harness differences in
//   Sampler.* counters that take turns are not told apart PerfCounters.OneGroupGivesEachEventItsOwnValue
//   every small step back becomes a wrap of 2^32                    Difference.IsDecidedByTheRule
//   a slow source's levels vanish or freeze between readings Ndjson.IntervalOfATableThatWasNotReadForAWhile
//   the first minute lacks what is only sent on change              Faults.TheFirstSampleHasEveryTable
//   rate and buffer each in range, their product not Faults.AProductBeyond32BitsIsRefusedWithItsArithmetic
//   the memory bound is planned from too small a sample             RingPlan.HoldsThePromiseForPlannedFrames
//   a failed start leaves descriptors open Faults.FiftyFailedStartsLeaveNoDescriptorOpen a stalled reader
//   holds up sampling                              Faults.AStalledReaderHoldsUpNoSample a reply copies the
//   whole ring for a few lines                   Faults.ASliceOfAReplyIsBounded busy shares flap with the
//   interval                              Triggers.BusyIsTicksAgainstTheRealInterval rows once seen are kept
//   in a map that only grows                Interrupts.LinesComeAndGo, Layout's rows_refused an agent with an
//   open stream does not end                       Program.SigtermEndsItAtOnceWithStreamsOpen one bad reading
//   of /proc/stat ends the agent                    Sampler.OneBadStatIsCountedAndLeavesItsTablesOut a file
//   that fails once is shipped as zero, or as it was before  Faults.AFailedReadShipsNothingStale a level that
//   vanishes counts as a fall to zero                  Triggers.AVanishedMemAvailableIsNoFall a gap's bounds
//   disagree with the samples that follow            Server tests of gaps, Ring.* a cursor near 2^64
//   overflows                                    Faults.ACursorNearTheEndOfNumbers a second cause within a
//   capture is lost                         Captures.AStormExtendsThePendingCapture an absent source is never
//   looked for again                      Sampler.AnAbsentSourceIsFoundWithinAMinute an unknown source name
//   is ignored                               Config.AnUnknownSourceIsRefusedWithTheKnownOnes a client that
//   goes away ends the process (SIGPIPE)              Faults.AClientThatGoesAwayInMidReply the wall clock
//   steps and differences are divided by the step    TickClock.* a changed cell among very many costs as much
//   as all             Faults.OneChangedCellAmongThirtyThousand refused system calls fill the kernel's log
//   Filter.*

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "agent/reply.h"
#include "harness.h"

namespace mikroscope::agent {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Those of this process that are no kernel file of a source: sources keep theirs until the process ends,
// which a failed start does.
std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    count += target.find("mikroscope-agent-test-") == std::string::npos ? 1 : 0;
  }
  return count;
}

std::string sample_of(const std::string& body) {
  for (const std::string& line : lines_of(body)) {
    if (line.rfind("{\"seq\"", 0) == 0) return line;
  }
  return {};
}

TEST(Faults, ACursorFromTheFutureIsToldOfARestart) {
  Harness h;
  h.samples(5);
  const auto lines = lines_of(body_of(Client(h).get("/samples?since=1000")));
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], StartsWith("{\"restart\":{\"instance\":\""));
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?since=1000"))), testing::ElementsAre(1, 2, 3, 4, 5));
}

TEST(Faults, ACursorNearTheEndOfNumbers) {
  Harness h;
  h.samples(3);
  for (const char* since : {"18446744073709551615", "18446744073709551614", "9223372036854775807"}) {
    const std::string body = body_of(Client(h).get("/samples?since=" + std::string(since)));
    EXPECT_THAT(body, StartsWith("{\"restart\":")) << since;
    EXPECT_THAT(seqs_of(body), testing::ElementsAre(1, 2, 3)) << since;
  }
  EXPECT_EQ(status_of(Client(h).get("/samples?since=18446744073709551616")), 400);
}

TEST(Faults, TheFirstSampleHasEveryTable) {
  Harness h(Env{{"RATE_HZ", "1"}});
  h.samples(1);
  const std::string first = sample_of(body_of(Client(h).get("/samples?since=oldest")));
  for (const char* table : {"\"cpu\":[", "\"mem\":{", "\"load\":{", "\"self\":{"})
    EXPECT_THAT(first, HasSubstr(table));
}

TEST(Faults, AFailedReadShipsNothingStale) {
  Harness h;
  h.samples(2);
  h.tree.write("proc/meminfo", "nothing of use\n");
  h.samples(1);
  EXPECT_THAT(sample_of(body_of(Client(h).get("/samples?last=1"))), Not(HasSubstr("\"mem\"")));
  h.tree.write("proc/meminfo", "MemTotal: 1000000 kB\nMemFree: 7 kB\n");
  h.samples(1);
  const std::string after = sample_of(body_of(Client(h).get("/samples?last=1")));
  EXPECT_THAT(after, HasSubstr("\"free_kb\":7"));
  EXPECT_THAT(after, Not(HasSubstr("available_kb")));  // 600000 of three samples ago is no reading
}

TEST(Faults, AProductBeyond32BitsIsRefusedWithItsArithmetic) {
  // 8 640 000 samples of some 500 bytes: more than 2^32 bytes, which must not come out as a small number.
  Harness donor;
  donor.tree.write("sys/fs/cgroup/memory.max", "1073741824\n");
  Harness h(Env{{"BUFFER_S", "86400"}, {"RATE_HZ", "100"}, {"SYS_ROOT", donor.tree.path() + "/sys"}});
  EXPECT_FALSE(h.started);
  EXPECT_THAT(h.error, HasSubstr("a ring of 100 Hz x 86400 s takes up to "));
  const std::size_t at = h.error.find("takes up to ") + 12;
  EXPECT_GT(std::atof(h.error.c_str() + at), 600.0) << h.error;  // MiB: 8 640 000 times at least 64 bytes
  const RingPlan plan = plan_ring(8'640'000, 100, 700, 2500);
  EXPECT_GT(plan.bytes, 8'640'000ull * plan.frame_bytes);
  EXPECT_GT(plan.bytes, 4ull << 30);
}

TEST(Faults, FiftyFailedStartsLeaveNoDescriptorOpen) {
  Harness donor;
  donor.tree.write("sys/fs/cgroup/memory.max", "16777216\n");
  const std::string sys = donor.tree.path() + "/sys";
  { Harness once(Env{{"BUFFER_S", "86400"}, {"RATE_HZ", "100"}, {"SYS_ROOT", sys}}); }
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 50; ++i) {
    Harness h(Env{{"BUFFER_S", "86400"}, {"RATE_HZ", "100"}, {"SYS_ROOT", sys}});
    ASSERT_FALSE(h.started);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Faults, AStalledReaderHoldsUpNoSample) {
  Harness h(Env{{"RATE_HZ", "100"}, {"BUFFER_S", "60"}});
  h.samples(3000);
  Client stalled(h);
  stalled.send("GET /samples?since=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
  // The loop turns and nobody reads: once the socket is full, turns are idle and samples go on.
  for (int i = 0; i < 300; ++i) h.agent().turn(0);
  const std::uint64_t before = h.agent().store().ring.newest();
  for (int i = 0; i < 50; ++i) {
    h.samples(1);
    h.agent().turn(0);
  }
  EXPECT_EQ(h.agent().store().ring.newest(), before + 50);
  EXPECT_THAT(seqs_of(body_of(Client(h).get("/samples?last=2"))), testing::SizeIs(2));
}

TEST(Faults, AClientThatGoesAwayInMidReply) {
  Harness h(Env{{"RATE_HZ", "100"}, {"BUFFER_S", "60"}});
  h.samples(3000);
  for (int i = 0; i < 20; ++i) {
    Client gone(h);
    gone.send("GET /samples?since=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
    h.agent().turn(1);
    gone.close();
    for (int turns = 0; turns < 50; ++turns) h.agent().turn(0);
  }
  EXPECT_EQ(status_of(Client(h).get("/healthz")), 200);
}

// No tick waits for more than one slice: of so many lines, of so many bytes and one line beyond.
TEST(Faults, ASliceOfAReplyIsBounded) {
  Harness h(Env{{"RATE_HZ", "100"}, {"BUFFER_S", "20"}});
  h.samples(1000);
  SampleQuery query;
  SampleReply reply(h.agent().store(), query);
  const std::size_t line = line_bound(*h.agent().store().layout);
  std::vector<char> memory(kSliceBytes + 2 * line + 65536);
  std::uint64_t before = 0;
  std::size_t slices = 0;
  for (SliceEnd end = SliceEnd::more; end == SliceEnd::more; ++slices) {
    Body body(memory.data(), memory.size());
    end = reply.fill(body);
    ASSERT_NE(end, SliceEnd::broken);
    EXPECT_LE(reply.sent() - before, kSliceLines);
    if (slices != 0) {
      EXPECT_LE(body.size(), kSliceBytes + line);
    }
    before = reply.sent();
  }
  EXPECT_EQ(reply.sent(), 1000u);
  EXPECT_GE(slices, 1000 / kSliceLines);
}

// Between two slices the loop looks at its timer: a turn makes at most one slice of each reply.
TEST(Faults, ATurnMakesOneSliceOfEachReply) {
  Harness h(Env{{"RATE_HZ", "100"}, {"BUFFER_S", "20"}});
  h.samples(1000);
  Client client(h);
  client.send("GET /samples?since=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::size_t line = line_bound(*h.agent().store().layout);
  std::uint64_t sent = 0;
  for (int turns = 0; turns < 200; ++turns) {
    const std::uint64_t uses = h.agent().store().decoder_uses;
    client.turn();
    EXPECT_LE(h.agent().store().decoder_uses - uses, 2u);  // the slice of a new request, and the one after it
    sent += 1;
    if (client.received.find("\r\n0\r\n\r\n") != std::string::npos) break;
  }
  EXPECT_GE(sent, 1000 / kSliceLines / 2);
  EXPECT_GT(line, 0u);
}

TEST(Faults, OneChangedCellAmongThirtyThousand) {
  Harness donor;
  const auto interrupts = [](int changed) {
    std::string text = "    ";
    for (int cpu = 0; cpu < 300; ++cpu) text += "  CPU" + std::to_string(cpu);
    text += "\n";
    for (int irq = 0; irq < 100; ++irq) {
      text += std::to_string(irq) + ":";
      for (int cpu = 0; cpu < 300; ++cpu)
        text += " " + std::to_string(1234567890 + (irq == 57 && cpu == 211 ? changed : 0));
      text += " chip " + std::to_string(irq) + " Level dev" + std::to_string(irq) + "\n";
    }
    return text;
  };
  donor.tree.write("sys/devices/system/cpu/possible", "0-299\n");
  donor.tree.write("proc/interrupts", interrupts(0));
  Harness h(Env{{"SOURCES", "stat,interrupts"},
                {"CAPTURE_MB", "0"},
                {"BUFFER_S", "10"},
                {"CAPTURE_PRE_S", "1"},
                {"PROC_ROOT", donor.tree.path() + "/proc"},
                {"SYS_ROOT", donor.tree.path() + "/sys"}});
  ASSERT_TRUE(h.started) << h.error;
  h.samples(3);
  const std::uint64_t before = h.agent().store().ring.bytes();
  donor.tree.write("proc/interrupts", interrupts(5));
  h.samples(1);
  // Some 330 kB of text, of which one number changed; the sampler's own timings are in the record too.
  EXPECT_LT(h.agent().store().ring.bytes() - before, 200u);
  EXPECT_THAT(body_of(Client(h).get("/sampler")),
              HasSubstr("\"interrupts\":{\"status\":\"ok\",\"reads\":5,\"failures\":0"));
  EXPECT_THAT(sample_of(body_of(Client(h).get("/samples?last=1"))),
              HasSubstr("{\"irq\":\"57\",\"cpu\":211,\"count\":5}"));
}

TEST(Faults, CapabilitiesNameTheLimits) {
  Harness donor;
  const std::string cpufreq = "sys/devices/system/cpu/cpu0/cpufreq/";
  donor.tree.write(cpufreq + "scaling_governor", "ondemand\n");
  donor.tree.write(cpufreq + "scaling_min_freq", "350000\n");
  donor.tree.write(cpufreq + "scaling_max_freq", "1400000\n");
  donor.tree.write("sys/class/thermal/thermal_zone0/trip_point_0_temp", "95000\n");
  donor.tree.write("sys/class/thermal/thermal_zone0/trip_point_0_type", "critical\n");
  donor.tree.write("sys/class/thermal/thermal_zone2/trip_point_0_temp", "-5000\n");
  donor.tree.write("sys/class/thermal/thermal_zone2/trip_point_0_type", "passive\n");
  donor.tree.write("sys/class/watchdog/watchdog0/identity", "Some Watchdog\n");
  donor.tree.write("sys/fs/cgroup/memory.max", "1073741824\n");
  donor.tree.write("proc/sys/net/netfilter/nf_conntrack_max", "65536\n");
  donor.tree.write("proc/cmdline", "console=ttyS0 board=5009 ver=7.24.1 quiet\n");
  Harness h(Env{{"SYS_ROOT", donor.tree.path() + "/sys"}, {"PROC_ROOT", donor.tree.path() + "/proc"}});
  ASSERT_TRUE(h.started) << h.error;
  const std::string body = body_of(Client(h).get("/capabilities"));
  for (const char* part :
       {"\"cpufreq_governor\":\"ondemand\"", "\"cpufreq_min_khz\":350000", "\"cpufreq_max_khz\":1400000",
        "\"thermal_trips\":[{\"zone\":0,\"type\":\"critical\",\"celsius\":95.000},"
        "{\"zone\":2,\"type\":\"passive\",\"celsius\":-5.000}]",
        "\"watchdog\":true", "\"watchdog_identity\":\"Some Watchdog\"", "\"memory_max_bytes\":1073741824",
        "\"conntrack_max\":65536", "\"cmdline_board\":\"5009\"", "\"cmdline_version\":\"7.24.1\""}) {
    EXPECT_THAT(body, HasSubstr(part));
  }
}

}  // namespace
}  // namespace mikroscope::agent
