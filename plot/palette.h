// Colours. Every one of a series may colour text: at least 4.5:1 on its surface. They stay apart for readers
// who see no red or no green: hues alone would not do that, so neighbours differ in lightness too. A test
// holds them to both.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "plot/plot.h"

namespace mikroscope::plot {

struct Rgb {
  std::uint8_t r = 0;
  std::uint8_t g = 0;
  std::uint8_t b = 0;
};

constexpr std::size_t kSeriesColours = 8;
// Places in `series` that mean something.
enum Hue : std::uint8_t { kBlue, kOrange, kTeal, kMagenta, kOchre, kViolet, kRed, kSlate };
constexpr std::size_t kHeatSteps = 6;

struct Palette {
  Rgb surface;
  Rgb ink;
  Rgb muted;
  Rgb grid;
  std::array<Rgb, kSeriesColours> series;
  std::array<Rgb, kHeatSteps> heat;  // from little to all
};

const Palette& light_palette();
const Palette& dark_palette();

std::string hex(Rgb colour);  // #rrggbb
// WCAG 2 contrast ratio, 1..21.
double contrast(Rgb a, Rgb b);

// The hue of a marker kind; kinds that nobody declared are drawn neutral (slate).
Hue hue_of_kind(std::string_view kind);

// The <style> element of a figure. `automatic` is light with a dark set behind prefers-color-scheme; each
// colour is also written plainly first, for renderers that do not know custom properties. `both` is not a
// style.
std::string style_element(Theme theme);

}  // namespace mikroscope::plot
