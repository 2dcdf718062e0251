#include "plot/svg.h"

#include <gtest/gtest.h>

#include <locale>

#include "plot/palette.h"
#include "plot/scale.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

struct CommaNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Svg, NumbersNeverFollowTheLocale) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaNumbers));
  EXPECT_EQ(plain_number(1234.56, 1), "1234.6");
  EXPECT_EQ(exact_value(0.25), "0.25");
  Svg svg;
  svg.start("rect").attr("x", 1234.56).end();
  EXPECT_EQ(svg.take(), "<rect x=\"1234.6\"/>\n");
  std::locale::global(before);
}

TEST(Svg, NumbersAreShort) {
  EXPECT_EQ(plain_number(2.0, 1), "2");
  EXPECT_EQ(plain_number(-0.04, 1), "0");
  EXPECT_EQ(plain_number(0.0 / 0.0, 1), "0");
  EXPECT_EQ(exact_value(966656),
            "966\xE2\x80\x89"
            "656");
  EXPECT_EQ(short_value(12500), "12.5k");
}

TEST(PathData, WritesDifferencesOfRoundedPlaces) {
  PathData path;
  path.move(10.04, 20);
  path.line(10.5, 19.7);
  path.line(12.5, 19.7);
  path.line(15, 19.7);  // still level: one stroke
  path.line(15, 25);
  EXPECT_EQ(path.take(), "M10 20l.5-.3h4.5v5.3");
}

TEST(PathData, APointAloneIsADot) {
  PathData path;
  path.move(1, 2);
  path.move(3, 4);
  path.line(4, 5);
  EXPECT_EQ(path.take(), "M1 2h0M3 4l1 1");
}

TEST(SvgText, MakesAnythingLegal) {
  EXPECT_EQ(clean_text("a\x1b[0m\tb\n"), "a\xEF\xBF\xBD[0m b ");
  EXPECT_EQ(clean_text("x\xE4y"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(clean_text("\xEF\xBF\xBE"), "\xEF\xBF\xBD");  // U+FFFE
  EXPECT_EQ(escape_xml("a<b&\"c\" ]]>"), "a&lt;b&amp;&quot;c&quot; ]]&gt;");
}

TEST(SvgText, CutsOnCharacters) {
  EXPECT_EQ(cut_cells("se\xC3\xB1"
                      "al",
                      4),
            "se\xC3\xB1\xE2\x80\xA6");
  EXPECT_EQ(cut_cells("\xF0\x9F\x93\xA1\xF0\x9F\x93\xA1", 3),
            "\xF0\x9F\x93\xA1\xE2\x80\xA6");  // two cells each
  EXPECT_EQ(cut_cells("ok", 2), "ok");
  EXPECT_EQ(text_cells("e\xCC\x81"), 1u);  // e and a combining accent
  EXPECT_EQ(cut_width("anything", 3, 11), "");
}

TEST(Scale, EndsOnRoundNumbers) {
  const Scale s = scale_from_zero(41.2, 5);
  EXPECT_EQ(s.high, 50);
  ASSERT_EQ(s.ticks.size(), 6u);
  EXPECT_EQ(s.ticks[1].label, "10");
  const Scale around = scale_around(302.3, 313.4, 4);
  EXPECT_EQ(around.low, 300);
  EXPECT_EQ(around.high, 315);
  EXPECT_EQ(scale_from_zero(0, 4).high, 1);
}

TEST(Scale, TimeLabelsNeverTouch) {
  for (const double span : {0.3, 3.0, 59.0, 600.0, 3599.0, 10800.0, 86400.0, 7 * 86400.0, 40 * 86400.0}) {
    for (const double width : {450.0, 1012.0}) {
      const Scale s = scale_time(-span / 10, span, width, 11);
      ASSERT_GE(s.ticks.size(), 2u) << span;
      for (std::size_t i = 1; i < s.ticks.size(); ++i) {
        const double apart = (s.at(s.ticks[i].value) - s.at(s.ticks[i - 1].value)) * width;
        const double need = (text_width(s.ticks[i].label, 11) + text_width(s.ticks[i - 1].label, 11)) / 2;
        EXPECT_GT(apart, need) << span << ' ' << s.ticks[i].label;
      }
    }
  }
}

TEST(Scale, SaysTimesAsPeopleDo) {
  EXPECT_EQ(say_time(12.34, 1), "12.3\xC2\xA0s");
  EXPECT_EQ(say_time(-3, 1), "-3\xC2\xA0s");
  EXPECT_EQ(say_time(300, 1), "5:00");
  EXPECT_EQ(say_time(3 * 3600 + 4 * 60 + 5.5, 1), "3:04:05.5");
  EXPECT_EQ(say_time(2 * 86400 + 60, 0), "2 d 0:01:00");
  EXPECT_EQ(say_time(299.96, 1), "5:00");  // not 4:60
}

// WCAG: 3:1 for graphics, 4.5:1 for text; series colours also colour text, and carry it.
TEST(Palette, HasContrastOnBothSurfaces) {
  EXPECT_NEAR(contrast({0, 0, 0}, {255, 255, 255}), 21, 0.01);
  for (const Palette* p : {&light_palette(), &dark_palette()}) {
    EXPECT_GE(contrast(p->ink, p->surface), 7);
    EXPECT_GE(contrast(p->muted, p->surface), 4.5);
    for (const Rgb colour : p->series) EXPECT_GE(contrast(colour, p->surface), 4.5) << hex(colour);
    for (std::size_t i = 1; i < p->heat.size(); ++i) {
      EXPECT_GE(contrast(p->heat[i], p->surface), contrast(p->heat[i - 1], p->surface))
          << "more is further away";
    }
  }
}

TEST(Palette, AutomaticHasBothThemesAndAPlainFallback) {
  const std::string style = style_element(Theme::automatic);
  EXPECT_NE(style.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(style.find(hex(dark_palette().series[0])), std::string::npos);
  EXPECT_NE(style.find("{color:" + hex(light_palette().series[0]) + ";color:var(--c0)}"), std::string::npos);
  EXPECT_EQ(style_element(Theme::dark).find("var("), std::string::npos);
}

}  // namespace
}  // namespace mikroscope::plot
