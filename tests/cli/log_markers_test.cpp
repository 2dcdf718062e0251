// The router's log on a recording's axis.
#include "cli/log_markers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/host/utc.h"
#include "plot/markers.h"
#include "tests/cli/fetching_router.h"
#include "tests/support/program.h"

namespace mikroscope::cli {
namespace {

using routeros::CodePage;
using routeros::DeviceError;
using routeros::Row;
using test::FetchScript;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::int64_t utc(const char* text) {
  return *base::parse_rfc3339(text);
}
std::string at(std::optional<std::int64_t> ns) {
  return ns ? base::format_utc(*ns, 0) : "none";
}

TEST(RouterTime, EveryShapeThatIsAbout) {
  const std::int64_t now = utc("2026-09-12T14:00:00Z");
  const struct {
    const char* text;
    const char* means;
  } kCases[] = {
      {"2026-09-12 02:21:24", "2026-09-12T02:21:24Z"},
      {"sep/12/2026 00:05:23", "2026-09-12T00:05:23Z"},
      {"jun/26/2023 00:32:53", "2023-06-26T00:32:53Z"},
      {"2023-06-26 00:32:53", "2023-06-26T00:32:53Z"},
      {"SEP/01 00:05:23", "2026-09-01T00:05:23Z"},
      {"09-11 23:59:59", "2026-09-11T23:59:59Z"},
      {"13:59:58", "2026-09-12T13:59:58Z"},
      // Nothing of the future: a date without a year, or a time alone, is the last one of its kind.
      {"dec/31 23:59:59", "2025-12-31T23:59:59Z"},
      {"23:59:58", "2026-09-11T23:59:58Z"},
      {"2026-09-12", "none"},
      {"2026-13-01 00:00:00", "none"},
      {"foo/12 00:00:00", "none"},
      {"25:00:00", "none"},
      {"", "none"},
  };
  for (const auto& c : kCases) EXPECT_EQ(at(parse_router_time(c.text, now)), c.means) << c.text;
  // A line that came between the reading of the clock and that of the log.
  EXPECT_EQ(at(parse_router_time("14:00:20", now)), "2026-09-12T14:00:20Z");
}

TEST(RouterTime, MidnightAndNewYearLieInsideAWindow) {
  const std::int64_t now = utc("2027-01-01T00:00:12Z");
  EXPECT_EQ(at(parse_router_time("23:59:58", now)), "2026-12-31T23:59:58Z");
  EXPECT_EQ(at(parse_router_time("00:00:02", now)), "2027-01-01T00:00:02Z");
  EXPECT_EQ(at(parse_router_time("dec/31 23:59:59", now)), "2026-12-31T23:59:59Z");
}

TEST(RouterTime, OffsetsFromGreenwich) {
  EXPECT_EQ(parse_gmt_offset("+02:00"), 7200);
  EXPECT_EQ(parse_gmt_offset("-03:30"), -12600);
  EXPECT_EQ(parse_gmt_offset("00:00"), 0);
  EXPECT_EQ(parse_gmt_offset("7200"), 7200);
  EXPECT_EQ(parse_gmt_offset("+05:45:00"), 20700);
  EXPECT_EQ(parse_gmt_offset(""), std::nullopt);
  EXPECT_EQ(parse_gmt_offset("+xx:00"), std::nullopt);
}

TEST(LogLines, AreDatedInTheRoutersZone) {
  const std::int64_t now = utc("2026-09-12T22:00:12Z");  // 00:00:12 in Madrid
  const auto before =
      log_line("23:59:58", "system,info", "user admin logged in", 7200, now, CodePage::cp1252);
  ASSERT_TRUE(before);
  EXPECT_EQ(at(before->wall_ns), "2026-09-12T21:59:58Z");
  const auto after =
      log_line("00:00:02", "interface,info", "[INFO]: ether1 link down", 7200, now, CodePage::cp1252);
  ASSERT_TRUE(after);
  EXPECT_EQ(at(after->wall_ns), "2026-09-12T22:00:02Z");
  EXPECT_EQ(after->text, "ether1 link down");
  // What only looks like a prefix stays, and what is no UTF-8 is read in the code page.
  EXPECT_EQ(
      log_line("00:00:02", "a", "[a long text in brackets, no prefix]: x", 0, now, CodePage::cp1252)->text,
      "[a long text in brackets, no prefix]: x");
  EXPECT_EQ(log_line("00:00:02", "a", "Verst\xe4rker\n", 0, now, CodePage::cp1252)->text,
            "Verst\xc3\xa4rker\\n");
  EXPECT_FALSE(log_line("yesterday", "a", "x", 0, now, CodePage::cp1252));
}

TEST(LogLines, TheWindowTheTopicsAndEachLineOnce) {
  const std::vector<LogLine> lines = {
      {5, "interface,info", "b"}, {3, "system,error", "a"},    {3, "system,error", "a"},
      {4, "dhcp,info", "c"},      {1, "system,info", "early"}, {9, "system,info", "late"},
  };
  const auto labels = [&lines](std::string_view topics) {
    std::string out;
    for (const LogLine& l : choose_log_lines(lines, topics, 2, 8)) out += l.text;
    return out;
  };
  EXPECT_EQ(labels("system,interface,container"), "ab");
  EXPECT_EQ(labels(""), "acb");
  EXPECT_EQ(labels("dhcp"), "c");
  EXPECT_EQ(labels("sys"), "");  // whole topics only
}

// Ten samples of a second each from 22:00:00 UTC on.
void write_recording(const std::string& prefix, const std::string& meta) {
  std::string jsonl = "{\"recording\":{\"format\":1}}\n";
  const std::int64_t wall = utc("2026-09-12T22:00:00Z");
  for (int i = 0; i < 11; ++i) {
    jsonl += "{\"seq\":" + std::to_string(i + 1) +
             ",\"boot_ns\":" + std::to_string((100 + i) * 1'000'000'000LL) +
             ",\"wall_ns\":" + std::to_string(wall + i * 1'000'000'000LL) +
             ",\"dt_ns\":1000000000,\"stat\":{\"ctxt\":1}}\n";
  }
  test::spill(prefix + ".jsonl", jsonl);
  test::spill(prefix + ".meta.json", meta);
}

Row log_row(const char* time, const char* topics, const char* message) {
  Row row;
  row.put("time", time);
  row.put("topics", topics);
  row.put("message", message);
  return row;
}

TEST(LogMarkers, AreAddedOnceWhereTheyBelong) {
  test::TempDir dir;
  write_recording(dir / "x", "{\"complete\":true}");
  FetchScript script;
  // Read the day after: the rows carry their date.
  script.menus["/log"] = {
      log_row("2026-09-12 23:59:59", "system,info", "before the recording"),
      log_row("2026-09-13 00:00:00", "system,info,account", "user ops logged in"),
      log_row("2026-09-13 00:00:04", "interface,info", "[INFO]: ether1 link down"),
      log_row("2026-09-13 00:00:04", "interface,info", "ether1 link down"),
      log_row("2026-09-13 00:00:05", "dhcp,info", "not asked for"),
      log_row("2026-09-13 00:00:11", "system,info", "after it"),
      log_row("?", "system,info", "no time"),
  };
  const auto session = test::make_fetching_router(script);
  RouterFacts facts;
  facts.zone = "Europe/Madrid";
  facts.gmt_offset_s = 7200;
  facts.wall_ns = utc("2026-09-13T10:00:00Z");
  auto view = RecordingView::open(dir / "x");
  ASSERT_TRUE(view.ok()) << view.error().what;
  const auto added = add_log_markers(*session, facts, {}, CodePage::cp1252, *view);
  ASSERT_TRUE(added.ok()) << added.error().what;
  EXPECT_EQ(added->added, 2U);
  EXPECT_EQ(added->undated, 1U);
  EXPECT_THAT(describe(*added),
              HasSubstr("2 log markers added (2026-09-12T22:00:00.000Z to 2026-09-12T22:00:10.000Z, "
                        "router's zone Europe/Madrid, UTC+02:00), 1 without a readable time"));
  const auto file = plot::load_markers(dir / "x.markers.csv");
  ASSERT_TRUE(file.ok());
  ASSERT_THAT(file->markers, SizeIs(2));
  EXPECT_EQ(file->markers[0].label, "system,info,account: user ops logged in");
  EXPECT_EQ(file->markers[0].kind, "log");
  EXPECT_EQ(file->markers[1].label, "interface,info: ether1 link down");
  EXPECT_EQ(file->markers[1].boot_ns, 104'000'000'000);
  const auto again = add_log_markers(*session, facts, {}, CodePage::cp1252, *view);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->added, 0U);
  EXPECT_EQ(again->known, 2U);
}

TEST(LogMarkers, TheZoneOfTheRecordingCountsNotTodays) {
  test::TempDir dir;
  write_recording(dir / "x", "{\"complete\":true,\"router\":{\"gmt_offset_s\":7200}}");
  FetchScript script;
  script.menus["/log"] = {log_row("2026-09-13 00:00:03", "system,info", "in summer time")};
  const auto session = test::make_fetching_router(script);
  RouterFacts facts;
  facts.gmt_offset_s = 3600;  // it is winter now
  facts.wall_ns = utc("2026-12-01T10:00:00Z");
  auto view = RecordingView::open(dir / "x");
  ASSERT_TRUE(view.ok());
  const auto added = add_log_markers(*session, facts, {}, CodePage::cp1252, *view);
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(added->added, 1U);
}

TEST(RouterFacts, WhatTheAccountMayNotReadIsAbsent) {
  FetchScript script;
  Row resource;
  resource.put("board-name", "RB5009UG+S+");
  resource.put("version", "7.24.2 (stable)");
  resource.put("architecture-name", "arm64");
  resource.put("uptime", "1w2d3h4m5s");
  script.menus["/system/resource"] = {resource};
  Row clock;
  clock.put("date", "2026-09-12");
  clock.put("time", "16:00:00");
  clock.put("time-zone-name", "Europe/Madrid");
  clock.put("gmt-offset", "+02:00");
  script.menus["/system/clock"] = {clock};
  script.refused["/system/identity"] =
      DeviceError{"not enough permissions (9)", -1, "/system/identity/print"};
  const auto session = test::make_fetching_router(script);
  const auto facts = read_router_facts(*session, CodePage::cp1252);
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->identity, "");
  EXPECT_EQ(facts->board, "RB5009UG+S+");
  EXPECT_EQ(facts->uptime_ns, (((7 + 2) * 24 + 3) * 3600 + 4 * 60 + 5) * 1'000'000'000LL);
  EXPECT_EQ(at(facts->wall_ns), "2026-09-12T14:00:00Z");
  EXPECT_EQ(facts->json().dump(),
            "{\"board\":\"RB5009UG+S+\",\"version\":\"7.24.2 (stable)\",\"architecture\":\"arm64\","
            "\"uptime_s\":788645,\"zone\":\"Europe/Madrid\",\"gmt_offset_s\":7200}");
}

}  // namespace
}  // namespace mikroscope::cli
