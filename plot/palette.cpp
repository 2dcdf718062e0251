#include "plot/palette.h"

#include <fmt/format.h>

#include <cmath>

namespace mikroscope::plot {
namespace {

constexpr Rgb rgb(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8),
          static_cast<std::uint8_t>(hex)};
}

constexpr Palette kLight{
    rgb(0xffffff),
    rgb(0x14202b),
    rgb(0x55636f),
    rgb(0xe4e9ee),
    {rgb(0x2569cc), rgb(0xb85b00), rgb(0x17835c), rgb(0x9c3f84), rgb(0x732906), rgb(0x5e3fdc), rgb(0xcf1136),
     rgb(0x3d5558)},
    {rgb(0xdbe8f6), rgb(0xaccbec), rgb(0x75a8dd), rgb(0x3f82c8), rgb(0x1c5ca6), rgb(0x0b3468)},
};

constexpr Palette kDark{
    rgb(0x11181f),
    rgb(0xe9eef3),
    rgb(0x9fadb9),
    rgb(0x27323c),
    {rgb(0x6094ff), rgb(0xea7440), rgb(0x52dcaa), rgb(0xc56ca8), rgb(0xe6dc78), rgb(0xcdb4ff), rgb(0xe9747c),
     rgb(0xa9c6cf)},
    {rgb(0x1b2f44), rgb(0x21496f), rgb(0x2b6aa3), rgb(0x4490d1), rgb(0x7bb9ee), rgb(0xc9e4fb)},
};

double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

double luminance(Rgb c) {
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

// What every figure has besides its colours. Sizes are in units of the view box.
constexpr std::string_view kShapes =
    "text{font-family:ui-sans-serif,system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica "
    "Neue\",Arial,sans-serif;"
    "font-size:11px;fill:currentColor;font-variant-numeric:tabular-nums}\n"
    ".h1{font-size:18px;font-weight:650}.h2{font-size:12.5px;font-weight:600}\n"
    ".grid,.base,.rule,.line,.leader,.heat,.hatch{fill:none}\n"
    ".line{stroke:currentColor;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}\n"
    ".fine{stroke-width:1.3}.faint{stroke-width:.9;stroke-opacity:.45}\n"
    ".band{fill:currentColor;fill-opacity:.24}.span{fill:currentColor;fill-opacity:.1}\n"
    ".rule{stroke:currentColor;stroke-width:1.2;stroke-dasharray:5 4}.wide{stroke-width:1.5}\n"
    ".fill{fill:currentColor}.ring{stroke:currentColor;stroke-width:1.6}.leader{stroke:currentColor}\n"
    ".heat{stroke:currentColor}.ram{stroke-width:2}.cpu{stroke-width:2.5}\n";

struct Use {
  std::string_view selector;
  std::string_view property;
  std::string_view variable;
};

constexpr Use kUses[] = {
    {".bg,.gapfill", "fill", "surface"}, {".ring", "fill", "surface"},  {".chip", "fill", "surface"},
    {"svg,.ink", "color", "ink"},        {".muted", "color", "muted"},  {".grid", "stroke", "grid"},
    {".base", "stroke", "muted"},        {".hatch", "stroke", "muted"},
};

const Rgb* colour_of(const Palette& p, std::string_view variable) {
  if (variable == "surface") return &p.surface;
  if (variable == "ink") return &p.ink;
  if (variable == "muted") return &p.muted;
  return &p.grid;
}

std::string variables(const Palette& p) {
  std::string out = fmt::format("--surface:{};--ink:{};--muted:{};--grid:{}", hex(p.surface), hex(p.ink),
                                hex(p.muted), hex(p.grid));
  for (std::size_t i = 0; i < p.series.size(); ++i) out += fmt::format(";--c{}:{}", i, hex(p.series[i]));
  for (std::size_t i = 0; i < p.heat.size(); ++i) out += fmt::format(";--k{}:{}", i, hex(p.heat[i]));
  return out;
}

std::string rule(std::string_view selector, std::string_view property, Rgb colour, std::string_view variable,
                 bool with_variable) {
  std::string out = fmt::format("{}{{{}:{}", selector, property, hex(colour));
  if (with_variable) out += fmt::format(";{}:var(--{})", property, variable);
  return out + "}\n";
}

}  // namespace

const Palette& light_palette() {
  return kLight;
}

const Palette& dark_palette() {
  return kDark;
}

std::string hex(Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

double contrast(Rgb a, Rgb b) {
  const double la = luminance(a);
  const double lb = luminance(b);
  return (std::fmax(la, lb) + 0.05) / (std::fmin(la, lb) + 0.05);
}

Hue hue_of_kind(std::string_view kind) {
  struct Of {
    std::string_view kind;
    Hue hue;
  };
  constexpr Of kHues[] = {{"note", kBlue},    {"start", kMagenta},     {"stop", kOrange},
                          {"phase", kViolet}, {"write", kRed},         {"done", kTeal},
                          {"gap", kSlate},    {"restart", kMagenta},   {"trigger", kOrange},
                          {"log", kOchre},    {"clock-step", kMagenta}};
  for (const Of& of : kHues) {
    if (of.kind == kind) return of.hue;
  }
  return kSlate;
}

std::string style_element(Theme theme) {
  const bool automatic = theme == Theme::automatic;
  const Palette& p = theme == Theme::dark ? kDark : kLight;
  std::string out = "<style>\n";
  out += kShapes;
  if (automatic) {
    out += "svg{" + variables(kLight) + "}\n";
    out += "@media (prefers-color-scheme:dark){svg{" + variables(kDark) + "}}\n";
  }
  for (const Use& use : kUses) {
    out += rule(use.selector, use.property, *colour_of(p, use.variable), use.variable, automatic);
  }
  for (std::size_t i = 0; i < p.series.size(); ++i) {
    out += rule(fmt::format(".c{}", i), "color", p.series[i], fmt::format("c{}", i), automatic);
  }
  for (std::size_t i = 0; i < p.heat.size(); ++i) {
    out += rule(fmt::format(".k{}", i), "color", p.heat[i], fmt::format("k{}", i), automatic);
  }
  return out + "</style>\n";
}

}  // namespace mikroscope::plot
