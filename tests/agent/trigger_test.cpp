// The grammar of conditions, and what makes each of them true, over samples of the fixture tree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/triggers.h"
#include "harness.h"

namespace mikroscope::agent {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(std::string_view list) {
  TriggerSet set;
  char text[512];
  base::Writer error(text, sizeof text);
  if (parse_triggers(list, set, error)) return "good";
  return std::string(error.view());
}

TEST(Triggers, Grammar) {
  EXPECT_EQ(error_of(kDefaultTriggers), "good");
  EXPECT_EQ(error_of(" busy>=0.95 , , slip>=1.1,memfall>=100000,kmsg<=0,squeeze "), "good");
  EXPECT_EQ(error_of("none"), "good");
  EXPECT_THAT(
      error_of("bsy>=1"),
      StartsWith(
          "trigger \"bsy>=1\": unknown condition (busy>=N, slip>=N, memfall>=N, kmsg<=N, softnet-drop"));
  EXPECT_EQ(error_of("oom>=1"), "trigger \"oom>=1\": takes no threshold");
  EXPECT_EQ(error_of("busy"), "trigger \"busy\": want busy>=N with a number in 0.05..1");
  for (const char* bad : {"busy>=0.04", "busy>=1.01", "busy<=0.5", "busy>=x", "busy>=0.5x"}) {
    EXPECT_THAT(error_of(bad), HasSubstr("want busy>=N with a number in 0.05..1")) << bad;
  }
  EXPECT_THAT(error_of("kmsg<=8"), HasSubstr("kmsg<=N with a whole number in 0..7"));
  EXPECT_THAT(error_of("memfall>=1.5"), HasSubstr("with a whole number in 1..100000"));
}

// The trigger lines that a pull of everything shows.
std::vector<std::string> triggers_of(Harness& h) {
  std::vector<std::string> out;
  for (const std::string& line : lines_of(body_of(Client(h).get("/samples?since=0")))) {
    if (line.rfind("{\"trigger\"", 0) == 0) out.push_back(line);
  }
  return out;
}

TEST(Triggers, MemfallNamesItsFallAndComesBeforeItsSample) {
  Harness h(Env{{"TRIGGERS", "memfall>=100"}});
  h.samples(3);
  // 600000 kB before, 394 MiB less now.
  h.tree.write("proc/meminfo", "MemTotal: 1000000 kB\nMemFree: 1 kB\nMemAvailable: 196544 kB\n");
  h.samples(2);
  const auto lines = lines_of(body_of(Client(h).get("/samples?since=3")));
  std::size_t at = 0;
  while (at < lines.size() && lines[at].rfind("{\"trigger\"", 0) != 0) ++at;
  ASSERT_LT(at + 1, lines.size());
  EXPECT_THAT(
      lines[at],
      StartsWith(
          "{\"trigger\":{\"id\":1,\"cause\":\"memfall>=100\",\"field\":\"mem.available_kb fall (MiB)\","
          "\"value\":394,\"threshold\":100,\"seq\":4,"));
  EXPECT_EQ(number_in(lines[at + 1], "seq"), 4);
  EXPECT_EQ(triggers_of(h).size(), 1u);
}

TEST(Triggers, AVanishedMemAvailableIsNoFall) {
  Harness h(Env{{"TRIGGERS", "memfall>=1"}});
  h.samples(2);
  h.tree.write("proc/meminfo", "MemTotal: 1000000 kB\nMemFree: 1 kB\n");
  h.samples(2);
  EXPECT_EQ(triggers_of(h).size(), 0u);
}

TEST(Triggers, ResetNamesTheCounter) {
  Harness h(Env{{"TRIGGERS", "reset"}});
  h.samples(2);
  h.write_stat(100, 5);  // ctxt 1000 -> 5
  h.samples(1);
  const auto lines = triggers_of(h);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("\"cause\":\"reset\",\"field\":\"stat.ctxt\""));
}

TEST(Triggers, SoftnetDropNamesTheQueue) {
  Harness h(Env{{"TRIGGERS", "softnet-drop,squeeze"}});
  // Thirteen words: the last is the CPU number.
  const auto row = [](const char* drop, const char* cpu) {
    return std::string("00000010 ") + drop + " 00000000 0 0 0 0 0 00000000 00000000 00000000 00000000 " +
           cpu + "\n";
  };
  (void)row;
  h.tree.write("proc/net/softnet_stat", row("00000000", "00000000") + row("00000000", "00000001"));
  Harness g(Env{{"TRIGGERS", "softnet-drop,squeeze"}, {"PROC_ROOT", h.tree.path() + "/proc"}});
  ASSERT_TRUE(g.started) << g.error;
  g.samples(2);
  h.tree.write("proc/net/softnet_stat", row("00000000", "00000000") + row("00000003", "00000001"));
  g.samples(1);
  const auto lines = triggers_of(g);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("\"field\":\"softnet[1].dropped\",\"value\":3,"));
}

// A frame over a layout of its own, so that the interval is exact.
struct BusyFrame {
  std::vector<char> memory = std::vector<char>(1 << 20);
  base::Arena arena{memory.data(), memory.size()};
  proc::Texts texts{arena, 8, 256};
  proc::Layout layout;
  proc::State state;
  proc::Track track;
  BusyFrame() {
    static const proc::Schema* const cpu = [] {
      for (const proc::TableDef& t : proc::all_tables()) {
        if (t.schema->table == "cpu") return t.schema;
      }
      return static_cast<const proc::Schema*>(nullptr);
    }();
    const proc::Schema* schemas[] = {cpu};
    const std::uint32_t capacities[] = {4};
    layout = proc::make_layout(arena, schemas, capacities, &texts);
    state = proc::make_state(arena, layout);
    track = proc::make_track(arena, layout);
    set(0, 0, 0);
    proc::prime(layout, state, track);
  }
  void set(std::int64_t dt_ns, std::uint64_t user, std::uint64_t softirq) {
    proc::TickHeader head;
    head.seq = dt_ns == 0 ? 0 : 1;
    head.boot_ns = 1000 + dt_ns;
    head.dt_ns = dt_ns;
    proc::begin_tick(layout, state, head);
    proc::TableWriter w(layout, state, 0);
    w.row(2);
    w.set(0, user);
    w.set(6, softirq);
    w.set(3, 77);  // idle does not count
  }
  bool holds(const char* text, Cause& cause) {
    TriggerSet set;
    char buffer[128];
    base::Writer error(buffer, sizeof buffer);
    EXPECT_TRUE(parse_triggers(text, set, error));
    return TriggerEye(layout).holds(set.items[0], proc::view(layout, state, track), {100000000, 8}, cause);
  }
};

TEST(Triggers, BusyIsTicksAgainstTheRealInterval) {
  Cause cause;
  BusyFrame f;
  f.set(100'000'000, 7, 2);  // 9 of 10 ticks
  EXPECT_TRUE(f.holds("busy>=0.9", cause));
  EXPECT_EQ(cause.value, 9000);
  EXPECT_EQ(cause.field_text(), "cpu[2].busy_ratio");
  EXPECT_FALSE(f.holds("busy>=0.91", cause));
  BusyFrame g;
  g.set(100'300'000, 11, 0);  // 11 ticks fit in 100.3 ms: capped
  EXPECT_TRUE(g.holds("busy>=1", cause));
  EXPECT_EQ(cause.value, kThresholdScale);
  BusyFrame none;
  none.set(0, 9, 0);
  EXPECT_FALSE(none.holds("busy>=0.05", cause));
}

TEST(Triggers, SlipCountsPeriods) {
  Cause cause;
  BusyFrame f;
  f.set(250'000'000, 0, 0);
  EXPECT_TRUE(f.holds("slip>=2.5", cause));
  EXPECT_EQ(cause.value, 25000);
  EXPECT_FALSE(f.holds("slip>=2.6", cause));
}

// Ten context-switch resets in a row: one capture, whose window grows with every cause.
TEST(Captures, AStormExtendsThePendingCapture) {
  Harness h(Env{{"TRIGGERS", "reset,memfall>=100"},
                {"TRIGGER_REFRACTORY_S", "0"},
                {"CAPTURE_PRE_S", "1"},
                {"CAPTURE_POST_S", "1"}});
  h.samples(20);
  for (unsigned i = 0; i < 12; ++i) {
    h.write_stat(100, 100000 - i * 5000);
    h.samples(1);
  }
  h.samples(40);
  const std::string index = body_of(Client(h).get("/captures"));
  EXPECT_EQ(number_in(index, "id"), 1);
  EXPECT_EQ(index.find("\"id\":2"), std::string::npos);
  // The first write raised the counter; eleven resets follow at samples 22 to 32. Eight are listed, three
  // counted.
  EXPECT_EQ(number_in(index, "fire_seq"), 22);
  EXPECT_EQ(number_in(index, "first_seq"), 12);
  EXPECT_EQ(number_in(index, "last_seq"), 42);
  EXPECT_EQ(number_in(index, "causes_dropped"), 3);
  EXPECT_THAT(index, HasSubstr("\"complete\":true"));
  const auto seqs = seqs_of(body_of(Client(h).get("/captures/1")));
  ASSERT_EQ(seqs.size(), 31u);
  EXPECT_EQ(seqs.front(), 12);
  EXPECT_EQ(seqs.back(), 42);
  EXPECT_EQ(triggers_of(h).size(), 11u);
}

TEST(Captures, TheRefractoryTimeSuppressesAndCounts) {
  Harness h(Env{{"TRIGGERS", "reset"}, {"TRIGGER_REFRACTORY_S", "10"}});
  h.write_stat(100, 100000);
  h.samples(2);
  for (unsigned i = 1; i < 4; ++i) {
    h.write_stat(100, 100000 - i * 5000);
    h.samples(1);
  }
  EXPECT_EQ(triggers_of(h).size(), 1u);
  EXPECT_THAT(body_of(Client(h).get("/sampler")),
              HasSubstr("\"triggers\":{\"reset\":{\"fired\":1,\"suppressed\":2}}"));
}

// One MiB holds some captures of a small machine; which ones stay is the policy.
void fill_memory(Harness& h, unsigned captures) {
  for (unsigned i = 0; i < captures; ++i) {
    h.write_stat(100, 4000000 - (i + 1) * 100000);
    h.samples(25);
  }
}

TEST(Captures, PolicyFirstKeepsTheFirstAndCountsWhatItRefused) {
  const Env base{{"TRIGGERS", "reset"},
                 {"TRIGGER_REFRACTORY_S", "0"},
                 {"CAPTURE_PRE_S", "1"},
                 {"CAPTURE_POST_S", "1"},
                 {"CAPTURE_MB", "1"}};
  Harness first(base);
  first.write_stat(100, 4000000);
  first.samples(25);
  fill_memory(first, 38);
  const std::string kept = body_of(Client(first).get("/captures"));
  EXPECT_THAT(kept, HasSubstr("\"captures\":[{\"id\":1,"));
  EXPECT_GT(number_in(body_of(Client(first).get("/sampler")), "budget"), 0);
  // The refused ones still mark the stream.
  EXPECT_THAT(triggers_of(first).back(), HasSubstr("\"refused\":\"budget\""));
  Env last_env = base;
  last_env["CAPTURE_POLICY"] = "last";
  Harness last(last_env);
  last.write_stat(100, 4000000);
  last.samples(25);
  fill_memory(last, 38);
  const std::string newest = body_of(Client(last).get("/captures"));
  EXPECT_THAT(newest, HasSubstr("{\"id\":38,"));
  EXPECT_EQ(newest.find("{\"id\":1,"), std::string::npos);
  EXPECT_EQ(status_of(Client(last).get("/captures/38")), 200);
}

}  // namespace
}  // namespace mikroscope::agent
