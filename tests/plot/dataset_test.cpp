#include "plot/dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plot/plot.h"
#include "tests/plot/generator.h"

namespace mikroscope::plot {
namespace {

using test::slurp;
using test::TempDir;
using ::testing::HasSubstr;

TEST(DataSet, BackgroundIsTheMeanOfTheSecondOnEitherSide) {
  const TempDir dir;
  // One row each half second; the span 2.0..3.0 has 1.0, 1.5 before it and 3.5, 4.0 after it. 4.0 is in
  // another span.
  dir.write(
      "x.csv",
      "rel_s,cpu_pct,ram_used_mib\n0.5,90,100\n1.0,10,100\n1.5,20,100\n2.0,70,200\n2.5,80,200\n3.0,90,200\n"
      "3.5,30,103\n4.0,99,100\n4.5,90,100\n");
  dir.write("x-background.csv", "from_s,to_s\n2.0,3.0\n4.0,4.0\n");
  auto data = load_dataset(dir.path("x.csv"), dir.path("x"), "");
  ASSERT_TRUE(data);
  smooth_background(*data);
  for (const int row : {3, 4, 5}) {
    EXPECT_DOUBLE_EQ(data->rows[static_cast<std::size_t>(row)].cpu, 20);  // (10 + 20 + 30) / 3
    EXPECT_DOUBLE_EQ(data->rows[static_cast<std::size_t>(row)].memory, 101);
  }
  EXPECT_DOUBLE_EQ(data->rows[7].cpu, 60);  // (30 + 90) / 2: 3.0 lies in a span
  EXPECT_DOUBLE_EQ(data->rows[0].cpu, 90);
  EXPECT_TRUE(data->background[0].smoothed);
}

TEST(DataSet, ASpanWithNothingBesideItStaysRaw) {
  const TempDir dir;
  dir.write("x.csv", "rel_s,cpu_pct,ram_used_mib\n0.0,10,1\n0.1,20,1\n");
  dir.write("x-background.csv", "from_s,to_s\n0.0,0.1\n");
  auto data = load_dataset(dir.path("x.csv"), dir.path("x"), "");
  ASSERT_TRUE(data);
  smooth_background(*data);
  EXPECT_EQ(data->rows[1].cpu, 20);
  EXPECT_FALSE(data->background[0].smoothed);
}

TEST(DataSet, DrawsTheDualLayout) {
  const TempDir dir;
  std::string text = "rel_s,cpu_pct,ram_used_mib\n-0.0,0.0,bad\nno numbers,x,y\n";
  for (int i = 1; i < 200; ++i) text += std::to_string(i / 10) + "." + std::to_string(i % 10) + ",30,281.5\n";
  dir.write("x.csv", text);
  dir.write("x-markers.csv", "rel_s,label,kind\n0.0,bouncer starts,neutral\n4.8,writes begin,write\n");
  PlotOptions o;
  o.inputs = {dir.path("x.csv")};
  const auto result = plot(o);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->figures[0].samples, 200u);
  EXPECT_EQ(result->figures[0].lines_skipped, 1u);
  const std::string svg = slurp(dir.path("x.svg"));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 960 440\""));
  EXPECT_THAT(svg, HasSubstr("seconds since bouncer starts"));
  // 20 s on 64..888: 4.8 s is at 64 + 824 * 4.8 / 20 = 261.8 (rounded to tenths).
  EXPECT_THAT(svg, HasSubstr("M261.8 74L261.8 382"));
  // 12 characters: 12 * 6.2 + 12 wide, over its rule, in the row next to the plot.
  EXPECT_THAT(svg, HasSubstr("y=\"54\" width=\"86.4\" height=\"16\" rx=\"4\""));
  EXPECT_THAT(svg, HasSubstr(">CPU %<"));
  EXPECT_THAT(svg, HasSubstr(">RAM used, MiB<"));
}

TEST(DataSet, IsToldFromARecordingsTable) {
  const TempDir dir;
  dir.write("x.csv", "seq,wall_ns\n1,2\n");
  PlotOptions o;
  o.inputs = {dir.path("x.csv")};
  const auto result = plot(o);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().what, HasSubstr("rel_s,cpu_pct,ram_used_mib"));
}

}  // namespace
}  // namespace mikroscope::plot
