// The dual layout: CPU of all cores on the left axis, memory used on the right one. Its geometry is that of
// figures already published with these data, so that old and new ones can stand side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/chips.h"
#include "plot/describe.h"
#include "plot/figure.h"
#include "plot/lines.h"
#include "plot/svg.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr double kWidth = 960;
constexpr double kHeight = 440;
constexpr double kLeft = 64;
constexpr double kRight = 888;
constexpr double kTop = 74;
constexpr double kBottom = 382;
constexpr double kChipY[] = {54, 34};  // of the row next to the plot, and the one above it
constexpr double kChipHeight = 16;
constexpr int kMostSteps = 9;
constexpr std::size_t kMaxBytes = 400'000;

constexpr double kCpuSteps[] = {10, 20, 25};
constexpr double kMemorySteps[] = {5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10000};
constexpr double kTimeSteps[] = {5, 10, 20, 30, 60};

// Ticks at multiples of the first step that needs at most nine of them; the ends of the axis are multiples
// too.
template <std::size_t N>
Scale stepped(double low, double high, const double (&steps)[N]) {
  Scale s;
  double step = steps[N - 1];
  for (const double candidate : steps) {
    step = candidate;
    if (std::ceil(high / step - 1e-9) - std::floor(low / step + 1e-9) <= kMostSteps) break;
  }
  const auto first = static_cast<std::int64_t>(std::floor(low / step + 1e-9));
  const auto last = std::max(first + 1, static_cast<std::int64_t>(std::ceil(high / step - 1e-9)));
  for (std::int64_t i = first; i <= last; ++i) {
    const double v = static_cast<double>(i) * step;
    s.ticks.push_back({v, plain_number(v, 0)});
  }
  s.low = s.ticks.front().value;
  s.high = s.ticks.back().value;
  return s;
}

Scale time_scale(double low, double high) {
  for (const double step : kTimeSteps) {
    if ((high - low) / step > kMostSteps) continue;
    if (high - low < 2 * step) break;  // a short window: finer ticks than five seconds
    Scale s;
    s.low = low;
    s.high = high;
    s.caption = "s";
    for (double v = std::ceil(low / step) * step; v <= high + 1e-9; v += step) {
      s.ticks.push_back({v, plain_number(v, 0)});
    }
    return s;
  }
  return scale_time(low, high, kRight - kLeft, 11);
}

const PanelData* find(const Figure& figure, std::string_view name) {
  for (const PanelData& p : figure.data.panels) {
    if (p.panel->name == name && !p.series.empty()) return &p;
  }
  return nullptr;
}

class DualFigure {
 public:
  DualFigure(const Figure& figure, const std::vector<SharedRange>& shared) : f_(figure) {
    cpu_ = find(f_, "total");
    memory_ = find(f_, "memory");
    YRange cpu{0, cpu_ != nullptr ? cpu_->series.front().series.line_high() : 100};
    YRange memory{0, 5};
    if (memory_ != nullptr) {
      const Series& s = memory_->series.front().series;
      memory = {s.line_low(), s.line_high()};
    }
    for (const SharedRange& s : shared) {
      if (s.panel == "total") cpu = s.range;
      if (s.panel == "memory") memory = s.range;
    }
    cpu_scale_ = stepped(0, cpu.high, kCpuSteps);
    memory_scale_ = stepped(memory.low, memory.high, kMemorySteps);
    time_ = time_scale(f_.seconds(f_.data.grid.from_ns), f_.seconds(f_.data.grid.to_ns));
  }

  Drawn draw(Theme theme, std::uint32_t merge) {
    Svg svg;
    svg.raw(document_head(f_, theme, kWidth, kHeight));
    svg.text(kLeft, 22, "h2 ink", "start", cut_width(clean_text(f_.title), (kRight - kLeft) / 1.08, 12.5));
    svg.start("g").attr("class", "panel").open();
    ground(svg);
    if (memory_ != nullptr) data(svg, *memory_, memory_scale_, kTeal, "line ram", merge);
    if (cpu_ != nullptr) data(svg, *cpu_, cpu_scale_, kBlue, "line cpu", merge);
    svg.close("g");
    axes(svg);
    const std::uint32_t without = markers(svg);
    notes(svg);
    svg.raw("</svg>\n");
    return {svg.take(), without};
  }

 private:
  double x_of(std::int64_t axis_ns) const { return kLeft + f_.data.grid.x(static_cast<double>(axis_ns)); }
  static double y_of(const Scale& s, double value) { return kBottom - s.at(value) * (kBottom - kTop); }

  void ground(Svg& svg) const {
    PathData grid;
    for (const Tick& t : cpu_scale_.ticks) {
      grid.move(kLeft, y_of(cpu_scale_, t.value));
      grid.line(kRight, y_of(cpu_scale_, t.value));
    }
    svg.path(grid.take(), "grid");
    for (const Mark& m : f_.marks) {
      if (!m.until_ns) continue;
      svg.rect(x_of(m.axis_ns), kTop, std::max(1.0, x_of(*m.until_ns) - x_of(m.axis_ns)), kBottom - kTop,
               fmt::format("c{} span", static_cast<int>(hue_of_kind(m.kind))));
    }
    for (const Break& b : f_.data.breaks) {
      const double from = std::max(kLeft, x_of(b.from_ns));
      const double width = std::max(2.0, std::min(kRight, x_of(b.to_ns)) - from);
      svg.start("rect").attr("x", from).attr("y", kTop).attr("width", width).attr("height", kBottom - kTop);
      svg.attr("fill", "url(#lost)").end();
    }
  }

  void data(Svg& svg, const PanelData& panel, const Scale& scale, Hue hue, std::string_view style,
            std::uint32_t merge) const {
    const Frame2d frame{kLeft, kTop, kBottom - kTop, scale.low, scale.high};
    svg.path(line_path(panel.series.front().series, frame, merge),
             fmt::format("c{} {}", static_cast<int>(hue), style));
  }

  void axes(Svg& svg) const {
    svg.line(kLeft, kBottom, kRight, kBottom, "base");
    if (cpu_ != nullptr) {
      for (const Tick& t : cpu_scale_.ticks) {
        svg.text(kLeft - 8, y_of(cpu_scale_, t.value) + 4, fmt::format("c{}", static_cast<int>(kBlue)), "end",
                 t.label);
      }
      axis_title(svg, 20, -90, kBlue, "CPU %");
    }
    if (memory_ != nullptr) {
      for (const Tick& t : memory_scale_.ticks) {
        svg.text(kRight + 8, y_of(memory_scale_, t.value) + 4, fmt::format("c{}", static_cast<int>(kTeal)),
                 "start", t.label);
      }
      axis_title(svg, kWidth - 14, 90, kTeal, "RAM used, MiB");
    }
    for (const Tick& t : time_.ticks) {
      svg.text(kLeft + time_.at(t.value) * (kRight - kLeft), kBottom + 18, "muted", "middle", t.label);
    }
    svg.text((kLeft + kRight) / 2, kBottom + 36, "muted", "middle", time_caption(f_, time_.caption));
  }

  static void axis_title(Svg& svg, double x, int turn, Hue hue, std::string_view text) {
    const double y = (kTop + kBottom) / 2;
    svg.start("text").attr("x", x).attr("y", y).attr("class", fmt::format("h2 c{}", static_cast<int>(hue)));
    svg.attr("text-anchor", "middle");
    svg.attr("transform", fmt::format("rotate({} {} {})", turn, coordinate(x), coordinate(y))).content(text);
  }

  std::uint32_t markers(Svg& svg) const {
    std::vector<double> xs;
    for (const Mark& m : f_.marks) xs.push_back(x_of(m.axis_ns));
    ChipStyle style;
    style.left = kLeft;
    style.right = kRight;
    style.rows = static_cast<int>(std::size(kChipY));
    style.centred = true;
    style.per_cell = 6.2;
    const ChipLayout layout = place_chips(f_.marks, xs, style);
    for (std::size_t i = 0; i < f_.marks.size(); ++i) {
      svg.line(xs[i], kTop, xs[i], kBottom,
               fmt::format("c{} rule wide", static_cast<int>(hue_of_kind(f_.marks[i].kind))));
    }
    for (const Chip& c : layout.chips) {
      const double y = kChipY[c.row];
      svg.start("rect")
          .attr("x", c.x)
          .attr("y", y)
          .attr("width", c.width)
          .attr("height", kChipHeight)
          .attr("rx", 4.0);
      svg.attr("class", fmt::format("c{} fill", static_cast<int>(c.hue))).end();
      svg.text(c.x + c.width / 2, y + 11.8, "chip", "middle", c.text);
    }
    return layout.without;
  }

  void notes(Svg& svg) const {
    std::string text;
    const auto add = [&text](std::string_view more) {
      text += (text.empty() ? "" : " \xC2\xB7 ") + std::string(more);
    };
    if (f_.data.smooth > 1) {
      add(fmt::format("mean of {} samples", f_.data.smooth));
    }
    if (cpu_ != nullptr) {
      const Extreme& e = cpu_->series.front().series.highest();
      add(fmt::format("CPU peak {} at {}", value_with_unit(e.value, "%"),
                      say_time(f_.seconds(e.axis_ns), time_decimals(f_))));
    }
    if (memory_ != nullptr) {
      const Extreme& e = memory_->series.front().series.highest();
      add(fmt::format("RAM peak {}", value_with_unit(e.value, "MiB")));
    }
    std::size_t smoothed = 0;
    for (const BackgroundSpan& s : f_.background) smoothed += s.smoothed ? 1 : 0;
    if (smoothed != 0) add(fmt::format("{} background span{} smoothed", smoothed, smoothed == 1 ? "" : "s"));
    if (smoothed < f_.background.size())
      add(fmt::format("{} left as measured", f_.background.size() - smoothed));
    std::uint64_t lost = 0;
    for (const Break& b : f_.data.breaks) lost += b.lost;
    if (lost != 0) add(fmt::format("hatched: {} samples lost", lost));
    svg.text(kRight, kHeight - 8, "muted", "end", cut_width(text, kRight - 20, 11));
  }

  const Figure& f_;
  const PanelData* cpu_ = nullptr;
  const PanelData* memory_ = nullptr;
  Scale cpu_scale_;
  Scale memory_scale_;
  Scale time_;
};

}  // namespace

PlotArea dual_area() {
  return {kLeft, kRight};
}

Drawn draw_dual(const Figure& figure, Theme theme, const std::vector<SharedRange>& shared) {
  DualFigure dual(figure, shared);
  Drawn drawn = dual.draw(theme, 1);
  for (std::uint32_t merge = 2; drawn.svg.size() > kMaxBytes && merge <= 8; merge *= 2)
    drawn = dual.draw(theme, merge);
  return drawn;
}

}  // namespace mikroscope::plot
