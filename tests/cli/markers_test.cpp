#include "plot/markers.h"

#include <gtest/gtest.h>

#include <thread>

#include "plot/csv.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::plot {
namespace {

using test::slurp;
using test::spill;
using test::TempDir;

constexpr char kHeader[] = "wall_ns,wall_utc,seq,kind,label,boot_ns,until_boot_ns\n";

TEST(Csv, QuotingOfRfc4180) {
  const auto rows = parse_csv("a,\"b,c\",\"say \"\"x\"\"\"\r\n\n\"two\nlines\",,end");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].fields, (std::vector<std::string>{"a", "b,c", "say \"x\""}));
  EXPECT_EQ(rows[1].fields, (std::vector<std::string>{"two\nlines", "", "end"}));
  EXPECT_EQ(rows[1].line, 3U);
}

TEST(Csv, AnOpenQuoteCostsOneLineOnly) {
  const auto rows = parse_csv("a,\"open\nb,c\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].fields, (std::vector<std::string>{"b", "c"}));
}

TEST(Markers, AMissingFileIsAnEmptyOne) {
  const auto file = load_markers("/nonexistent/x.markers.csv");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->markers.empty());
}

TEST(Markers, RoundTrip) {
  TempDir dir;
  const std::string path = dir / "m";
  ASSERT_TRUE(append_marker(path, {1'000'000'005, 7, "phase", "a, \"b\"\nc", 42, 99}).ok());
  ASSERT_TRUE(append_marker(path, {2, 0, "note", "señal", {}, {}}).ok());
  EXPECT_EQ(slurp(path), std::string(kHeader) +
                             "1000000005,1970-01-01T00:00:01.000000005Z,7,phase,\"a, \"\"b\"\"\nc\",42,99\n" +
                             "2,1970-01-01T00:00:00.000000002Z,0,note,señal,,\n");
  const auto file = load_markers(path);
  ASSERT_EQ(file->markers.size(), 2U);
  EXPECT_EQ(file->markers[0].label, "a, \"b\"\nc");
  EXPECT_EQ(file->markers[0].boot_ns, 42);
  EXPECT_EQ(file->markers[0].until_boot_ns, 99);
  EXPECT_FALSE(file->markers[1].boot_ns);
}

TEST(Markers, FilesOfOtherToolsAndDamagedRows) {
  TempDir dir;
  spill(dir / "m",
        "wall_ns,wall_utc,seq,kind,label\n5,x,3,note,five columns\n6,x\nnine,x,1,note,no "
        "number\n7,x,,,unkind\n8,x,1,note,a,b,c,d\n");
  const auto file = load_markers(dir / "m");
  ASSERT_EQ(file->markers.size(), 2U);
  EXPECT_EQ(file->markers[0].label, "five columns");
  EXPECT_EQ(file->markers[1].kind, "note");
  EXPECT_EQ(file->markers[1].seq, 0U);
  ASSERT_EQ(file->warnings.size(), 3U);
  EXPECT_NE(file->warnings[0].find("line 3: skipped, it has too few fields"), std::string::npos);
  EXPECT_NE(file->warnings[1].find("line 4"), std::string::npos);
}

TEST(Markers, ARowThatWasCutOffStaysALineOfItsOwn) {
  TempDir dir;
  spill(dir / "m", std::string(kHeader) + "1,x,1,no");
  ASSERT_TRUE(append_marker(dir / "m", {2, 0, "note", "after", {}, {}}).ok());
  const auto file = load_markers(dir / "m");
  ASSERT_EQ(file->markers.size(), 1U);
  EXPECT_EQ(file->markers[0].label, "after");
  EXPECT_EQ(file->warnings.size(), 1U);
}

TEST(Markers, DeletingKeepsEveryOtherByte) {
  TempDir dir;
  spill(dir / "m", std::string(kHeader) + "1,x,1,note,one,,\nragged\n2,x,1,note,two,,\n3,x,1,note,three,,\n");
  ASSERT_TRUE(delete_marker(dir / "m", 1).ok());
  EXPECT_EQ(slurp(dir / "m"), std::string(kHeader) + "1,x,1,note,one,,\nragged\n3,x,1,note,three,,\n");
  const auto refused = delete_marker(dir / "m", 2);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().what.find("has 2 markers, none has the number 3"), std::string::npos);
}

TEST(Markers, DeletingWhileOthersAppendLosesNothing) {
  TempDir dir;
  const std::string path = dir / "m";
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(append_marker(path, {i, 0, "note", "first", {}, {}}).ok());
  std::thread deleter([&] {
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(delete_marker(path, 0).ok());
  });
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(append_marker(path, {w, 0, "note", "second", {}, {}}).ok());
    });
  }
  deleter.join();
  for (std::thread& t : writers) t.join();
  const auto file = load_markers(path);
  EXPECT_EQ(file->markers.size(), 300U);
  EXPECT_TRUE(file->warnings.empty());
}

}  // namespace
}  // namespace mikroscope::plot
