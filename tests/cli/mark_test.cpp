// mark on a finished recording: 10 Hz, 60 s, samples 1..601, from 2026-09-12T14:03:00Z.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plot/markers.h"
#include "tests/support/program.h"

namespace mikroscope::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

constexpr std::int64_t kBoot = 5'000'000'000;
constexpr std::int64_t kWall = 1'789'221'780'000'000'000;

class MarkFinished : public ::testing::Test {
 protected:
  MarkFinished() {
    std::string lines;
    for (std::int64_t seq = 1; seq <= 601; ++seq) {
      const std::int64_t since = (seq - 1) * 100'000'000;
      lines += fmt::format(
          "{{\"seq\":{},\"boot_ns\":{},\"wall_ns\":{},\"dt_ns\":100000000,\"mem\":{{\"total_kb\":4,"
          "\"available_kb\":2}}}}\n",
          seq, kBoot + since, kWall + since);
    }
    spill(dir_ / "x.jsonl", lines);
    spill(dir_ / "x.meta.json", "{\"format\":1,\"complete\":true}\n");
  }
  Exited mark(std::vector<std::string> more) {
    more.insert(more.begin(), {"mark", "--out", dir_ / "x"});
    return run(more);
  }
  std::vector<plot::Marker> markers() { return plot::load_markers(dir_ / "x.markers.csv")->markers; }
  TempDir dir_;
};

TEST_F(MarkFinished, EveryWayToNameAnInstant) {
  const struct {
    const char* at;
    std::int64_t after_ms;  // the first sample
  } kCases[] = {
      {"12.5s", 12'500},
      {"12.5", 12'500},
      {"+3s", 3'000},
      {"1m", 60'000},
      {"end-5s", 55'000},
      {"-3s", 57'000},
      {"start", 0},
      {"end", 60'000},
      {"seq:11", 1'000},
      {"14:03:20.5", 20'500},
      {"14:03:59.999", 59'999},
      {"2026-09-12T14:03:20Z", 20'000},
      {"2026-09-12T16:03:20.25+02:00", 20'250},
  };
  std::size_t n = 0;
  for (const auto& c : kCases) {
    const Exited exited = mark({"--at", c.at, "here"});
    EXPECT_EQ(exited.code, 0) << c.at << exited.err;
    ASSERT_EQ(markers().size(), ++n) << c.at;
    EXPECT_EQ(markers().back().boot_ns, kBoot + c.after_ms * 1'000'000) << c.at;
    EXPECT_EQ(markers().back().wall_ns, kWall + c.after_ms * 1'000'000) << c.at;
  }
}

TEST_F(MarkFinished, WhatLiesOutsideIsRefusedWithTheSpan) {
  for (const char* at : {"61s", "-61s", "end-70s", "seq:602", "14:05:00", "2026-09-12T14:02:59Z"}) {
    const Exited exited = mark({"--at", at, "never drawn"});
    EXPECT_EQ(exited.code, 5) << at;
    EXPECT_THAT(exited.err, AllOf(HasSubstr("it spans 0s to 1m"), HasSubstr("2026-09-12T14:03:00"),
                                  HasSubstr("2026-09-12T14:04:00"), HasSubstr("seq 1 to 601")))
        << at;
  }
  const Exited now = mark({"never drawn"});
  EXPECT_EQ(now.code, 5);
  EXPECT_THAT(now.err, AllOf(HasSubstr("now lies outside the recording"), HasSubstr("it spans 0s to 1m"),
                             HasSubstr("--at ")));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "x.markers.csv"));
}

TEST_F(MarkFinished, IsDrawnWhereItWasSet) {
  ASSERT_EQ(mark({"--at", "12.5s", "here"}).code, 0);
  ASSERT_EQ(run({"plot", dir_ / "x"}).code, 0);
  EXPECT_THAT(slurp(dir_ / "x.svg"), HasSubstr("Markers: here at 12.5\u00A0s"));
}

TEST_F(MarkFinished, WordsThatAreNoInstant) {
  for (const char* at : {"soon", "seq:x", "end-", "25:00:00", "12.5x", "2026-13-01T00:00:00Z"}) {
    const Exited exited = mark({"--at", at, "x"});
    EXPECT_EQ(exited.code, 2) << at;
    EXPECT_THAT(exited.err, AllOf(HasSubstr("is no instant of a recording"), HasSubstr("try: 12.5s")));
  }
}

TEST_F(MarkFinished, Intervals) {
  ASSERT_EQ(mark({"--at", "10s", "--until", "+4s", "--kind", "phase", "backup"}).code, 0);
  ASSERT_EQ(mark({"--at", "10s", "--until", "20s", "again"}).code, 0);
  ASSERT_EQ(markers().size(), 2U);
  EXPECT_EQ(markers()[0].kind, "phase");
  EXPECT_EQ(markers()[0].until_boot_ns, kBoot + 14'000'000'000);
  EXPECT_EQ(markers()[1].until_boot_ns, kBoot + 20'000'000'000);
  EXPECT_EQ(mark({"--at", "10s", "--until", "9s", "backwards"}).code, 2);
  EXPECT_EQ(mark({"--at", "59s", "--until", "+4s", "too long"}).code, 5);
  EXPECT_EQ(markers().size(), 2U);
}

TEST_F(MarkFinished, ListAndDelete) {
  ASSERT_EQ(mark({"--at", "10s", "first"}).code, 0);
  ASSERT_EQ(mark({"--at", "5s", "--until", "+2s", "--kind", "phase", "second"}).code, 0);
  const Exited list = mark({"--list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_THAT(list.out,
              AllOf(HasSubstr("  1          10.000 s  2026-09-12T14:03:10"), HasSubstr("note        first"),
                    HasSubstr("  2    5.000..7.000 s"), HasSubstr("phase       second")));
  const Json json = Json::parse(mark({"--list", "--json"}).out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[1]["number"], 2);
  EXPECT_EQ(json[1]["at_s"], 5.0);
  EXPECT_EQ(json[1]["until_s"], 7.0);
  EXPECT_EQ(json[0]["label"], "first");

  EXPECT_EQ(mark({"--delete", "3"}).code, 2);
  EXPECT_EQ(mark({"--delete", "1"}).code, 0);
  ASSERT_EQ(markers().size(), 1U);
  EXPECT_EQ(markers()[0].label, "second");
  EXPECT_EQ(mark({"--delete", "1"}).code, 0);
  EXPECT_THAT(mark({"--list"}).out, HasSubstr("no markers"));
  EXPECT_EQ(mark({"--list", "text"}).code, 2);
}

TEST_F(MarkFinished, KindsThatAreTheRecordersOwn) {
  EXPECT_EQ(mark({"--at", "1s", "--kind", "gap", "x"}).code, 2);
  EXPECT_EQ(mark({"--at", "1s", "--kind", "Two Words", "x"}).code, 2);
  EXPECT_EQ(mark({"--at", "1s", "--kind", "my-own", "x"}).code, 0);
}

}  // namespace
}  // namespace mikroscope::test
