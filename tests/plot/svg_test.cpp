#include "plot/svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
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

// CIE L*a*b* of linear light (D65).
std::array<double, 3> lab(const std::array<double, 3>& light) {
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = f((0.4124 * light[0] + 0.3576 * light[1] + 0.1805 * light[2]) / 0.9505);
  const double y = f(0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]);
  const double z = f((0.0193 * light[0] + 0.1192 * light[1] + 0.9505 * light[2]) / 1.089);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// Full deuteranopia and protanopia as matrices over linear light (Machado, Oliveira, Fernandes 2009), and
// normal sight.
constexpr double kSight[3][3][3] = {
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
};

std::array<double, 3> seen(Rgb colour, const double (&sight)[3][3]) {
  const auto linear = [](std::uint8_t c) {
    const double v = c / 255.0;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  const std::array<double, 3> light{linear(colour.r), linear(colour.g), linear(colour.b)};
  std::array<double, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) out[i] += sight[i][k] * light[k];
    out[i] = std::clamp(out[i], 0.0, 1.0);
  }
  return lab(out);
}

TEST(Palette, StaysApartWithoutRedOrGreen) {
  for (const Palette* p : {&light_palette(), &dark_palette()}) {
    for (const auto& sight : kSight) {
      for (std::size_t i = 0; i < p->series.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          const auto a = seen(p->series[i], sight);
          const auto b = seen(p->series[j], sight);
          const double apart = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          EXPECT_GE(apart, i < 5 ? 20 : 14) << hex(p->series[i]) << ' ' << hex(p->series[j]);
        }
      }
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
