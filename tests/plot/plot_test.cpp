// Whole figures from recordings made on the spot.

#include "plot/plot.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <pugixml.hpp>

#include "tests/plot/generator.h"

namespace mikroscope::plot {
namespace {

using test::cpu;
using test::markers_csv;
using test::mem;
using test::Recording;
using test::slurp;
using test::softnet;
using test::TempDir;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

PlotOptions options(const std::string& input) {
  PlotOptions o;
  o.inputs = {input};
  o.theme = Theme::light;
  o.version = "test";
  return o;
}

// The figure as a strict parser sees it.
pugi::xml_document parse(const std::string& svg) {
  pugi::xml_document document;
  const auto result = document.load_string(svg.c_str(), pugi::parse_default | pugi::parse_ws_pcdata);
  EXPECT_TRUE(result) << result.description() << " at " << result.offset;
  return document;
}

pugi::xml_node panel(const pugi::xml_document& document, const std::string& title) {
  for (const auto node : document.child("svg").children("g")) {
    if (node.attribute("aria-label").value() == title) return node;
  }
  return {};
}

std::vector<pugi::xml_node> of_class(const pugi::xml_node& parent, const std::string& css_class) {
  std::vector<pugi::xml_node> out;
  for (const auto node : parent.children()) {
    const std::string classes = fmt::format(" {} ", node.attribute("class").value());
    if (classes.find(" " + css_class + " ") != std::string::npos) out.push_back(node);
  }
  return out;
}

std::size_t moves(const pugi::xml_node& path) {
  const std::string data = path.attribute("d").value();
  return static_cast<std::size_t>(std::count(data.begin(), data.end(), 'M'));
}

TEST(Plot, NamesThePathsThatItTried) {
  const TempDir dir;
  const auto result = plot(options(dir.path("nothing")));
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr(dir.path("nothing.jsonl")));
  EXPECT_THAT(result.error().what, HasSubstr(dir.path("nothing.jsonl.part")));
}

TEST(Plot, NoSamplesIsNoFigure) {
  const TempDir dir;
  dir.write("x.jsonl", "{\"gap\":{\"from\":1,\"to\":2}}\n");
  const auto result = plot(options(dir.path("x")));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().exit, base::Exit::no_data);
  EXPECT_EQ(slurp(dir.path("x.svg")), "");
}

TEST(Plot, UnknownPanelsAndLabelsAreUsageErrors) {
  const TempDir dir;
  dir.write("x.jsonl", Recording().sample(cpu({1})).sample(cpu({1})).text());
  PlotOptions o = options(dir.path("x"));
  o.panels = {"memorry"};
  const auto panels = plot(o);
  ASSERT_FALSE(panels);
  EXPECT_EQ(panels.error().exit, base::Exit::usage);
  EXPECT_THAT(panels.error().fix, HasSubstr("did you mean memory"));
  o.panels.clear();
  o.from = "no such marker";
  const auto label = plot(o);
  ASSERT_FALSE(label);
  EXPECT_EQ(label.error().exit, base::Exit::usage);
}

TEST(Plot, DropsAndMarkersShareTheAxisToATenth) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 60; ++i)
    r.sample(cpu({5}) + "," + softnet(i == 55 ? 3 : 0, 0) + "," + mem(1000, i == 55 ? 400 : 600));
  dir.write("x.jsonl", r.text());
  dir.write("x.markers.csv", markers_csv({{5.5, "note", "drop"}}));
  ASSERT_TRUE(plot(options(dir.path("x"))));
  const auto svg = parse(slurp(dir.path("x.svg")));
  // 5.9 s on 70..1082: the drop is at 70 + 1012 * 5.5 / 5.9 = 1013.4.
  for (const char* title : {"Packet backlog, all CPUs", "Memory used"}) {
    const auto p = panel(svg, title);
    EXPECT_NEAR(of_class(p, "ring").at(0).attribute("cx").as_double(), 1013.4, 0.1) << title;
    EXPECT_THAT(of_class(p, "rule").at(0).attribute("d").value(), HasSubstr("M1013.4 ")) << title;
  }
}

TEST(Plot, GapsBreakTheLineAndAreCounted) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 10; ++i) r.sample(cpu({5}));
  r.skip(2).line("{\"gap\":{\"from\":11,\"to\":12}}");
  for (int i = 0; i < 10; ++i) r.sample(cpu({5}));
  r.skip(3);  // lost without a word
  for (int i = 0; i < 10; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  const FigureSummary& s = result->figures[0];
  EXPECT_EQ(s.samples, 30u);
  EXPECT_EQ(s.gaps, 2u);
  EXPECT_EQ(s.samples_lost, 5u);
  EXPECT_EQ(s.markers_drawn, 2u);
  const std::string text = slurp(dir.path("x.svg"));
  const auto svg = parse(text);
  const auto total = panel(svg, "CPU busy, all cores");
  EXPECT_EQ(moves(of_class(total, "line").at(0)), 3u);
  EXPECT_EQ(of_class(total, "gapfill").size(), 2u);
  EXPECT_THAT(text, HasSubstr(">2 lost<"));
  EXPECT_THAT(text, HasSubstr(">3 lost<"));
}

TEST(Plot, AGapMarkerOfTheRecorderIsNotDoubled) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 10; ++i) r.sample(cpu({5}));
  r.skip(2).line("{\"gap\":{\"from\":11,\"to\":12}}");
  for (int i = 0; i < 10; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  dir.write("x.markers.csv", markers_csv({{0.9, "gap", "samples 11..12 lost"}}));
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].markers_drawn, 1u);
}

TEST(Plot, AbsentIsNeverZero) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 30; ++i) r.sample(i == 20 ? cpu({5}) : cpu({5}) + "," + mem(1024, 512));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  const auto svg = parse(slurp(dir.path("x.svg")));
  const auto memory = panel(svg, "Memory used");
  EXPECT_EQ(moves(of_class(memory, "line").at(0)), 2u);
  EXPECT_THAT(result->figures[0].panels_left_out, Contains("softnet: no data"));
  EXPECT_THAT(result->figures[0].panels, Contains("memory"));
}

TEST(Plot, CoresComeAndGoAndHaveHoles) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) r.sample(cpu({2, 4, 6, 8}));
  for (int i = 0; i < 20; ++i) r.sample(cpu({2, 4}));
  for (int i = 0; i < 20; ++i)
    r.sample(cpu({2, 4}).substr(0, cpu({2, 4}).size() - 1) + "," + cpu({9}, 7).substr(7));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->figures[0].lines_skipped, 0u);
  const std::string text = slurp(dir.path("x.svg"));
  EXPECT_THAT(text, HasSubstr(">core 7<"));
  EXPECT_THAT(text, Not(HasSubstr(">core 4<")));
  EXPECT_THAT(text, HasSubstr("peak 90"));
}

TEST(Plot, BusyIsOverTheRealInterval) {
  const TempDir dir;
  // 11 ticks in 100.3 ms are capped at 100 %; 5 ticks in 137 ms are 36.5 %.
  std::string text;
  text += fmt::format("{{\"seq\":1,\"boot_ns\":1000000000,\"wall_ns\":1000000000,\"dt_ns\":137000000,{}}}\n",
                      cpu({5}));
  text += fmt::format("{{\"seq\":2,\"boot_ns\":1100300000,\"wall_ns\":1100300000,\"dt_ns\":100300000,{}}}\n",
                      cpu({11}));
  dir.write("x.jsonl", text);
  PlotOptions o = options(dir.path("x"));
  ASSERT_TRUE(plot(o));
  EXPECT_THAT(slurp(dir.path("x.svg")), HasSubstr("peak 100\xC2\xA0%"));
  o.to = "0";
  ASSERT_TRUE(plot(o)) << "one sample is a figure too";
  EXPECT_THAT(slurp(dir.path("x.svg")), HasSubstr("steady 36.5\xC2\xA0%"));
}

TEST(Plot, AnyLabelMakesWellFormedXml) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 100; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  dir.write("x.markers.csv", markers_csv({{1, "note", "ok"},
                                          {3, "note",
                                           "se\xC3\xB1"
                                           "al de prueba muy larga que pasa de cuarenta"},
                                          {5, "write", "a<b&\"c\""},
                                          {7, "note", "esc\x1b[0m"},
                                          {9, "odd-kind", "bad \xE4 utf-8"}}));
  PlotOptions o = options(dir.path("x"));
  o.title = "A&B <x> \"q\" 'p' -- ]]>\x01\n\xE4\xF0\x9F\x93\xA1";
  const auto result = plot(o);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].markers_drawn, 5u);
  EXPECT_EQ(result->figures[0].markers_without_chip, 0u);
  const std::string text = slurp(dir.path("x.svg"));
  const auto svg = parse(text);
  EXPECT_EQ(of_class(panel(svg, "CPU busy, all cores"), "rule").size(), 5u);
  EXPECT_THAT(text, HasSubstr(">ok</text>"));
  EXPECT_THAT(text, HasSubstr("pasa de c\xE2\x80\xA6</text>"));  // 39 characters and the ellipsis
  EXPECT_THAT(text, HasSubstr("a&lt;b&amp;&quot;c&quot;"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Plot, LogMarkersOfASecondFold) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 50; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  dir.write("x.markers.csv", markers_csv({{1.1, "log", "first"},
                                          {1.2, "log", "second"},
                                          {1.3, "note", "between"},
                                          {1.4, "log", "third"},
                                          {9, "note", "after the end"}}));
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].markers_drawn, 3u);
  EXPECT_EQ(result->figures[0].markers_folded, 1u);
  EXPECT_EQ(result->figures[0].markers_outside, 1u);
  EXPECT_THAT(slurp(dir.path("x.svg")), HasSubstr(">2 \xC3\x97 first<"));
  EXPECT_THAT(result->text(), HasSubstr("3 markers (1 folded, 1 outside the window)"));
}

TEST(Plot, ChipsLieUnderTheSubtitleAndOverThePanels) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 100; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  std::vector<test::TestMarker> notes;
  for (int i = 1; i < 10; ++i)
    notes.push_back({static_cast<double>(i), "note", "a note that is rather long"});
  dir.write("x.markers.csv", markers_csv(notes));
  ASSERT_TRUE(plot(options(dir.path("x"))));
  const auto svg = parse(slurp(dir.path("x.svg")));
  double first_title = 1e9;
  for (const auto g : svg.child("svg").children("g")) {
    first_title = std::min(first_title, g.child("text").attribute("y").as_double() - 12);
  }
  std::size_t chips = 0;
  for (const auto rect : svg.child("svg").children("rect")) {
    if (rect.attribute("rx").as_double() != 3) continue;
    ++chips;
    EXPECT_GE(rect.attribute("y").as_double(), 54) << "below the subtitle";
    EXPECT_LE(rect.attribute("y").as_double() + rect.attribute("height").as_double(), first_title);
  }
  EXPECT_EQ(chips, 9u);
}

TEST(Plot, WallClockStepsDoNotBendTheAxis) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 30; ++i) r.sample(cpu({5}));
  r.step_wall(-3600);
  for (int i = 0; i < 31; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].markers_drawn, 1u);
  const std::string text = slurp(dir.path("x.svg"));
  EXPECT_THAT(text, HasSubstr(">clock -3600 s<"));
  EXPECT_THAT(text, HasSubstr("to_s=\"6\""));
}

TEST(Plot, RestartsAndRebootsGoOn) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  r.line("{\"restart\":{\"instance\":\"b\",\"previous\":\"a\",\"reboot\":false}}").restart_sequence();
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  r.line("{\"restart\":{\"instance\":\"c\",\"previous\":\"b\",\"reboot\":true}}").reboot(9'000'000'000, 30);
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 60u);
  EXPECT_EQ(result->figures[0].restarts, 2u);
  EXPECT_EQ(result->figures[0].gaps, 0u);
  const std::string text = slurp(dir.path("x.svg"));
  EXPECT_THAT(text, HasSubstr(">agent restarted<"));
  EXPECT_THAT(text, HasSubstr(">machine rebooted<"));
  EXPECT_THAT(text, HasSubstr("to_s=\"35.9\""));  // 60 samples and 30 s without
}

TEST(Plot, ASequenceThatBeginsAgainIsARestart) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  r.restart_sequence();
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 40u);
  EXPECT_EQ(result->figures[0].restarts, 1u);
}

TEST(Plot, AbsurdClocksAreNoSamples) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 5; ++i) r.sample(cpu({5}));
  for (const char* boot : {"9223372036854775807", "-9223372036854775807"}) {
    r.line(fmt::format("{{\"seq\":6,\"boot_ns\":{},\"wall_ns\":{},\"dt_ns\":1,{}}}", boot, boot, cpu({5})));
  }
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 5u);
}

TEST(Plot, TriggersAndCaptureHeadersAreNoSamples) {
  const TempDir dir;
  Recording r;
  r.line("{\"capture\":{\"id\":3,\"cause\":\"softnet-drop\"}}");
  r.sample(cpu({5}));
  r.line(
      "{\"trigger\":{\"id\":3,\"cause\":\"softnet-drop\",\"field\":\"softnet[0].dropped\",\"value\":2,"
      "\"threshold\":0,\"seq\":2,\"wall_ns\":1790000000100000000}}");
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  dir.write("x.capture-3.jsonl", r.text());
  const auto result = plot(options(dir.path("x.capture-3.jsonl")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 21u);
  EXPECT_EQ(result->figures[0].lines_skipped, 0u);
  EXPECT_THAT(slurp(dir.path("x.capture-3.svg")), HasSubstr("softnet-drop: softnet[0].dropped 2"));
}

TEST(Plot, ACutLastLineIsToleratedAndSaid) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl.part", r.text().substr(0, r.text().size() - 30));
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 19u);
  EXPECT_TRUE(result->figures[0].cut_last_line);
  EXPECT_EQ(result->figures[0].lines_skipped, 0u);
  EXPECT_THAT(result->text(), HasSubstr("a cut last line skipped"));
}

TEST(Plot, UnreadableLinesAreCounted) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 5; ++i) r.sample(cpu({5}));
  r.line("not json");
  for (int i = 0; i < 5; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].lines_skipped, 1u);
  EXPECT_THAT(result->text(), HasSubstr("first line skipped: line 6"));
}

TEST(Plot, WindowsByTimesAndMarkers) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 601; ++i) r.sample(cpu({i == 300 ? 10 : 1}));
  dir.write("x.jsonl", r.text());
  dir.write("x.markers.csv", markers_csv({{20, "start", "go"}, {40, "done", "there"}}));
  PlotOptions o = options(dir.path("x"));
  o.t0 = "go";
  o.from = "-5s";
  o.to = "there";
  const auto result = plot(o);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 251u);  // 15.0 s to 40.0 s, both ends
  EXPECT_EQ(result->figures[0].samples_outside, 350u);
  const std::string text = slurp(dir.path("x.svg"));
  EXPECT_THAT(text, HasSubstr("from_s=\"-5\" to_s=\"20\" t0=\"go\""));
  EXPECT_THAT(text, HasSubstr("seconds since go"));
  EXPECT_THAT(text, HasSubstr("peak 100\xC2\xA0% at 10\xC2\xA0s"));
  o.from = "2026-09-21T14:13:50Z";  // 30 s after the first sample
  o.to = "end-10s";
  o.t0.clear();
  const auto utc = plot(o);
  ASSERT_TRUE(utc);
  EXPECT_EQ(utc->figures[0].samples, 201u);
}

TEST(Plot, ChecksFilesByteForByte) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 50; ++i) r.sample(cpu({5}));
  dir.write("x.jsonl", r.text());
  PlotOptions o = options(dir.path("x"));
  o.theme = Theme::both;
  const auto drawn = plot(o);
  ASSERT_TRUE(drawn);
  EXPECT_EQ(drawn->figures[0].files,
            (std::vector<std::string>{dir.path("x-light.svg"), dir.path("x-dark.svg")}));
  o.check = true;
  EXPECT_TRUE(plot(o));
  std::string old = slurp(dir.path("x-dark.svg"));
  const std::size_t line4 = [&] {
    std::size_t at = 0;
    for (int i = 0; i < 3; ++i) at = old.find('\n', at) + 1;
    return at;
  }();
  old[line4] = '#';
  dir.write("x-dark.svg", old);
  const auto stale = plot(o);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().exit, base::Exit::failed);
  EXPECT_THAT(stale.error().what, HasSubstr(dir.path("x-dark.svg")));
  EXPECT_THAT(stale.error().what, HasSubstr("line 4"));
  EXPECT_EQ(slurp(dir.path("x-dark.svg")), old) << "a check writes nothing";
}

std::string figure_of(const TempDir& dir, const PlotOptions& o) {
  const auto result = plot(o);
  EXPECT_TRUE(result) << (result ? "" : result.error().what);
  return slurp(dir.path("x.svg"));
}

// A window that is the whole recording takes two passes, no window one: the figures are the same.
TEST(Plot, OnePassAndTwoDrawTheSame) {
  const TempDir dir;
  Recording plain;
  Recording odd;
  Recording later;  // a boot clock that went on from a greater value: only a line between the ends tells
  for (int i = 0; i < 40; ++i) {
    plain.sample(cpu({i % 10, 3}) + "," + mem(100, 50));
    odd.sample(cpu({i % 10, 3}) + "," + mem(100, 50));
    later.sample(cpu({i % 10, 3}));
    if (i == 15) {
      later.line(R"({"restart":{"instance":"b","previous":"a","reboot":true}})")
          .reboot(9'000'000'000'000, 30);
    }
    if (i == 10) odd.skip(3);
    if (i == 20) odd.step_wall(-3600);
    if (i == 25) odd.reboot(77'000'000'000, 30);  // the ends do not tell of it
    if (i == 30) odd.line("{\"seq\":999,\"boot_ns\":1,\"wall");
  }
  for (const std::string& text :
       {plain.text(), odd.text(), odd.text() + "{\"gap\":{\"from\":41,\"to\":42}}\n",
        odd.text() + "{\"seq\":41,\"boot_ns\":12"}) {
    dir.write("x.jsonl", text);
    dir.write("x.markers.csv", markers_csv({{1, "note", "one"}, {2, "phase", "two"}}));
    PlotOptions o = options(dir.path("x"));
    const std::string quick = figure_of(dir, o);
    o.from = "start";
    o.to = "end";
    EXPECT_EQ(quick, figure_of(dir, o));
    EXPECT_THAT(quick, HasSubstr("Markers: one at 1"));
  }
}

TEST(Plot, TheRecordersHashIsBelievedOnlyOfACompleteFileOfItsSize) {
  const TempDir dir;
  const std::string text = Recording().sample(cpu({1})).sample(cpu({2})).text();
  dir.write("x.jsonl", text);
  const std::string claimed(64, 'a');
  const auto meta = [&](const char* complete, std::size_t bytes, const std::string& hash) {
    dir.write("x.meta.json", fmt::format("{{\"complete\":{},\"jsonl_bytes\":{},\"jsonl_sha256\":\"{}\"}}",
                                         complete, bytes, hash));
  };
  meta("true", text.size(), claimed);
  EXPECT_THAT(figure_of(dir, options(dir.path("x"))),
              HasSubstr("sha256=\"" + claimed + "\" sha256_of=\"meta.json\""));
  for (int i = 0; i < 3; ++i) {
    if (i == 0) meta("false", text.size(), claimed);
    if (i == 1) meta("true", text.size() + 1, claimed);
    if (i == 2) meta("true", text.size(), "no hash");
    const std::string svg = figure_of(dir, options(dir.path("x")));
    EXPECT_THAT(svg, Not(HasSubstr("aaaaaaaa")));
    EXPECT_THAT(svg, Not(HasSubstr("sha256_of")));
    EXPECT_THAT(svg, HasSubstr(" sha256=\""));
  }
}

TEST(Plot, AbsurdMarkersAreOutsideAndHarmless) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) r.sample(cpu({i % 10}));
  dir.write("x.jsonl", r.text());
  std::string rows = "wall_ns,wall_utc,seq,kind,label,boot_ns,until_boot_ns\n";
  for (const char* ns : {"9223372036854775807", "-9223372036854775808", "0"}) {
    rows += fmt::format("{},x,0,note,by wall,,\n{},x,0,note,by boot,{},\n{},x,0,phase,both,{},{}\n", ns, ns,
                        ns, ns, ns, "9223372036854775807");
    rows += fmt::format("{},x,0,phase,other way,-9223372036854775808,{}\n", ns, ns);
  }
  dir.write("x.markers.csv", rows);
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 20U);
  parse(slurp(dir.path("x.svg")));
}

TEST(Plot, ALevelThatIsAlwaysZeroHasNoNegativeTicks) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) r.sample(R"("slab":[{"cache":"nf_conntrack","active":0,"limit":65536}])");
  dir.write("x.jsonl", r.text());
  ASSERT_TRUE(plot(options(dir.path("x"))));
  const auto document = parse(slurp(dir.path("x.svg")));
  const auto conntrack = panel(document, "Tracked connections");
  ASSERT_TRUE(conntrack);
  for (const auto node : conntrack.children("text"))
    EXPECT_THAT(std::string(node.text().get()), Not(::testing::StartsWith("-")));
}

TEST(Plot, FinerBusySharesAreDrawnWhereTheyAre) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 20; ++i) {
    // 100 ms: 30 ms of idle time are 70 % busy; 50 M cycles of 1 GHz are 50 %.
    r.sample(cpu({1}) +
             R"(,"cpuidle":[{"cpu":0,"state":"C1","residency_us":20000,"entries":1},)"
             R"({"cpu":0,"state":"C2","residency_us":10000,"entries":1}],)"
             R"("perf":[{"counter":"cycles","cpu":0,"count":50000000,"enabled_ns":5,"running_ns":5}],)"
             R"("cpufreq":[{"cpu":0,"khz":1000000}])");
  }
  dir.write("x.jsonl", r.text());
  const auto result = plot(options(dir.path("x")));
  ASSERT_TRUE(result);
  EXPECT_THAT(result->figures[0].panels, Contains("cycles"));
  EXPECT_THAT(result->figures[0].panels, Contains("idle"));
  const std::string svg = slurp(dir.path("x.svg"));
  EXPECT_THAT(svg, HasSubstr("CPU busy per core, by cycles: steady 50"));
  EXPECT_THAT(svg, HasSubstr("CPU busy per core, by idle time: steady 70"));
}

TEST(Plot, SharedAxesAreShared) {
  const TempDir dir;
  Recording a;
  for (int i = 0; i < 51; ++i) a.sample(cpu({5}) + "," + mem(102400, 92160));  // 10 MiB used
  Recording b;
  for (int i = 0; i < 101; ++i) b.sample(cpu({5}) + "," + mem(102400, 51200));  // 50 MiB
  dir.write("a.jsonl", a.text());
  dir.write("b.jsonl", b.text());
  PlotOptions o = options(dir.path("a"));
  o.inputs.push_back(dir.path("b"));
  o.share_axes = true;
  ASSERT_TRUE(plot(o));
  const auto labels = [&](const char* file) {
    std::string out;
    const std::string text = slurp(dir.path(file));
    const auto svg = parse(text);
    for (const auto t : panel(svg, "Memory used").children("text")) {
      if (t.attribute("x").as_double() == 62) out += std::string(t.child_value()) + "|";
    }
    return out;
  };
  EXPECT_EQ(labels("a.svg"), "10|20|30|40|50|");
  EXPECT_EQ(labels("b.svg"), labels("a.svg"));
  o.out = dir.path("one.svg");
  EXPECT_FALSE(plot(o)) << "one file for two inputs";
}

// 24 h at 1 Hz with one loud second: what is drawn does not depend on how many samples there were.
TEST(Plot, ADayStaysSmallAndKeepsItsPeak) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 86'400; ++i) {
    text += fmt::format(
        "{{\"seq\":{},\"boot_ns\":{},\"wall_ns\":{},\"dt_ns\":1000000000,\"cpu\":[{{\"cpu\":0,"
        "\"user\":{},\"nice\":0,\"system\":0,\"idle\":0}}]}}\n",
        i + 1, test::kBoot + i * 1'000'000'000LL, test::kWall + i * 1'000'000'000LL,
        i == 50'000 ? 77 : i % 5);
  }
  dir.write("x.jsonl", text);
  PlotOptions o = options(dir.path("x"));
  ASSERT_TRUE(plot(o));
  const std::string automatic = slurp(dir.path("x.svg"));
  EXPECT_THAT(automatic, HasSubstr("peak 77\xC2\xA0% at 13:53:20"));
  EXPECT_LT(automatic.size(), 100'000u);
  o.smooth = 1;
  ASSERT_TRUE(plot(o));
  EXPECT_LT(slurp(dir.path("x.svg")).size(), 400'000u);
}

// A reviewed picture of each layout; MIKROSCOPE_UPDATE_GOLDENS=1 writes them anew.
void compare_golden(const std::string& name, const std::string& svg) {
  const std::string path = std::string(MIKROSCOPE_TEST_DATA) + "/../plot/golden/" + name;
  if (std::getenv("MIKROSCOPE_UPDATE_GOLDENS") != nullptr) {
    ASSERT_TRUE(std::ofstream(path, std::ios::binary) << svg);
    return;
  }
  EXPECT_EQ(slurp(path), svg) << name << " is stale: MIKROSCOPE_UPDATE_GOLDENS=1 writes it anew; look at it";
}

TEST(PlotGolden, Panels) {
  const TempDir dir;
  Recording r;
  for (int i = 0; i < 30; ++i)
    r.sample(cpu({i % 4, i > 10 && i < 20 ? 9 : 1}) + "," + mem(4096, 2048 - i * 10));
  r.skip(3);
  for (int i = 0; i < 10; ++i) r.sample(cpu({2, 2}) + "," + mem(4096, 1800));
  dir.write("golden.jsonl", r.text());
  dir.write("golden.markers.csv", markers_csv({{1, "write", "go"}, {2, "done", "ok"}}));
  PlotOptions o = options(dir.path("golden"));
  o.theme = Theme::automatic;
  ASSERT_TRUE(plot(o));
  compare_golden("panels.svg", slurp(dir.path("golden.svg")));
}

TEST(PlotGolden, Dual) {
  const TempDir dir;
  std::string text = "rel_s,cpu_pct,ram_used_mib\n";
  for (int i = -20; i <= 60; ++i) {
    text += fmt::format("{:.1f},{:.1f},{:.1f}\n", i / 10.0, i > 0 && i < 40 ? 35.0 : 7.0,
                        280.0 + (i > 0 ? 12.0 : 0.0));
  }
  dir.write("golden.csv", text);
  dir.write("golden-markers.csv", "rel_s,label,kind\n0.0,service starts,neutral\n4.0,ready,done\n");
  dir.write("golden-background.csv", "from_s,to_s\n5.0,5.4\n");
  PlotOptions o = options(dir.path("golden.csv"));
  ASSERT_TRUE(plot(o));
  compare_golden("dual.svg", slurp(dir.path("golden.svg")));
}

}  // namespace
}  // namespace mikroscope::plot
