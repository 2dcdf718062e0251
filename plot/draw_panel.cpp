#include "plot/draw_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "plot/describe.h"
#include "plot/lines.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr double kLabelGap = 12;  // between end labels
constexpr double kLabelPx = 11;
constexpr std::size_t kBandedSeries = 3;  // with more, bands would cover each other

std::string series_class(Hue hue, std::string_view rest) {
  return fmt::format("c{} {}", static_cast<int>(hue), rest);
}

std::size_t coloured(const PanelData& panel) {
  return static_cast<std::size_t>(std::count_if(panel.series.begin(), panel.series.end(),
                                                [](const NamedSeries& s) { return !s.background; }));
}

// A band says something where points of the line, or columns, stand for several values each.
bool has_band(const PanelData& panel, const NamedSeries& s) {
  if (panel.series.size() > kBandedSeries) return false;
  return s.series.count() >= 2 * s.series.points() || s.series.count() > s.series.grid().columns;
}

class PanelDrawing {
 public:
  PanelDrawing(Svg& svg, const Figure& figure, const PanelData& panel, const PanelPlace& place,
               const Scale& time, std::uint32_t merge)
      : svg_(svg), figure_(figure), panel_(panel), place_(place), time_(time), merge_(merge) {}

  void draw(std::optional<YRange> range) {
    svg_.start("g")
        .attr("class", "panel")
        .attr("role", "group")
        .attr("aria-label", panel_.panel->title)
        .open();
    heading();
    switch (panel_.panel->draw) {
      case Draw::lines:
        lines(range);
        break;
      case Draw::heat:
        heat();
        break;
      case Draw::events:
        events();
        break;
    }
    rules();
    svg_.close("g");
  }

 private:
  double x_of(std::int64_t axis_ns) const {
    return place_.left + figure_.data.grid.x(static_cast<double>(axis_ns));
  }
  double bottom() const { return place_.top + place_.height; }

  void heading() {
    const Panel& p = *panel_.panel;
    std::string title(p.title);
    if (!p.unit.empty()) title += fmt::format(", {}", p.unit);
    if (panel_.series_left_out != 0) {
      title += fmt::format(" (the {} greatest of {})", panel_.series.size(),
                           panel_.series.size() + panel_.series_left_out);
    }
    const std::size_t with_colour = coloured(panel_);
    if (p.draw == Draw::lines && with_colour < panel_.series.size()) {
      title += fmt::format(" (the {} greatest in colour, {} others grey)", with_colour,
                           panel_.series.size() - with_colour);
    }
    svg_.text(place_.left, place_.title_y, "h2 ink", "start", title);
    std::string note = p.draw == Draw::events ? event_note() : panel_note(figure_, panel_);
    if (note.empty()) return;
    const double room = place_.right - place_.left - text_width(title, 12.5) * 1.06 - 16;
    note = cut_width(note, room, kLabelPx);
    if (!note.empty()) svg_.text(place_.right, place_.title_y, "muted", "end", note);
  }

  void ground(const Scale* y) {
    PathData grid;
    for (const Tick& t : time_.ticks) {
      const double x = place_.left + time_.at(t.value) * (place_.right - place_.left);
      grid.move(x, place_.top);
      grid.line(x, bottom());
    }
    if (y != nullptr) {
      for (const Tick& t : y->ticks) {
        const double at = bottom() - y->at(t.value) * place_.height;
        grid.move(place_.left, at);
        grid.line(place_.right, at);
      }
    }
    svg_.path(grid.take(), "grid");
    for (const Mark& m : figure_.marks) {
      if (!m.until_ns) continue;
      const double x = x_of(m.axis_ns);
      svg_.rect(x, place_.top, std::max(x_of(*m.until_ns) - x, 1.0), place_.height,
                series_class(hue_of_kind(m.kind), "span"));
    }
  }

  // Over the grid and under the data, but never under a value: there is none in a gap.
  void gaps() {
    for (const Break& b : figure_.data.breaks) {
      const double from = std::max(place_.left, x_of(b.from_ns));
      const double to = std::min(place_.right, x_of(b.to_ns));
      const double width = std::max(to - from, 2.0);
      const double x = std::min(from, place_.right - width);
      svg_.rect(x, place_.top, width, place_.height, "gapfill");
      svg_.start("rect")
          .attr("x", x)
          .attr("y", place_.top)
          .attr("width", width)
          .attr("height", place_.height);
      svg_.attr("fill", "url(#lost)").end();
    }
  }

  void lines(std::optional<YRange> range) {
    const Scale y = y_scale(range);
    ground(&y);
    gaps();
    const Frame2d frame{place_.left, place_.top, place_.height, y.low, y.high};
    PathData base;
    base.move(place_.left, bottom());
    base.line(place_.right, bottom());
    svg_.path(base.take(), "base");
    for (const Tick& t : y.ticks) {
      svg_.text(place_.left - 8, frame.y(t.value) + 3.8, "muted", "end", t.label);
    }
    for (const NamedSeries& s : panel_.series) {
      if (has_band(panel_, s)) {
        svg_.path(band_path(s.series, frame, merge_), series_class(s.hue, "band"));
      }
    }
    for (const bool background : {true, false}) {
      for (auto s = panel_.series.rbegin(); s != panel_.series.rend(); ++s) {
        if (s->background != background) continue;
        const bool thin = background || panel_.series.size() > 2;
        svg_.path(line_path(s->series, frame, merge_), series_class(s->hue, background ? "line faint"
                                                                            : thin     ? "line fine"
                                                                                       : "line"));
      }
    }
    peak(frame);
    if (panel_.series.size() > 1) end_labels(frame);
  }

  Scale y_scale(std::optional<YRange> range) const {
    const int steps = place_.height >= 110 ? 5 : place_.height >= 80 ? 4 : place_.height >= 60 ? 3 : 2;
    if (panel_.panel->y == YRule::percent) return scale_percent();
    const YRange r = range.value_or(YRange{0, 1});
    return panel_.panel->y == YRule::around ? scale_around(r.low, r.high, steps)
                                            : scale_from_zero(r.high, steps);
  }

  void peak(const Frame2d& frame) {
    const NamedSeries* best = nullptr;
    for (const NamedSeries& s : panel_.series) {
      if (best == nullptr || s.series.highest().value > best->series.highest().value) best = &s;
    }
    if (best == nullptr || best->series.highest().value == best->series.lowest().value) return;
    if (panel_.series.size() > kBandedSeries && figure_.data.smooth > 1)
      return;  // the line does not reach it
    const Extreme& e = best->series.highest();
    if (e.value > frame.high) return;
    svg_.start("circle").attr("cx", x_of(e.axis_ns)).attr("cy", frame.y(e.value)).attr("r", 3.0);
    svg_.attr("class", series_class(best->hue, "ring")).end();
  }

  void end_labels(const Frame2d& frame) {
    std::vector<const NamedSeries*> named;
    for (const NamedSeries& s : panel_.series) {
      if (!s.background && s.series.has_line()) named.push_back(&s);
    }
    std::vector<double> wanted;
    for (const NamedSeries* s : named) wanted.push_back(frame.y(s->series.last()));
    const std::vector<double> at = spread(wanted, kLabelGap, place_.top + 2, bottom() - 2);
    for (std::size_t i = 0; i < named.size(); ++i) {
      PathData leader;
      leader.move(place_.right + 2, std::clamp(wanted[i], place_.top, bottom()));
      leader.line(place_.right + 9, at[i]);
      svg_.path(leader.take(), series_class(named[i]->hue, "leader"));
      const std::string label = cut_width(clean_text(named[i]->label), kEndLabelWidth, kLabelPx);
      svg_.text(place_.right + 12, at[i] + 3.8, series_class(named[i]->hue, "end"), "start", label);
    }
  }

  void heat();
  void events();
  std::string event_note() const;

  // Dashed, one stretch a panel, so that no title is struck through.
  void rules() {
    for (const Mark& m : figure_.marks) {
      const double x = x_of(m.axis_ns);
      svg_.line(x, place_.top, x, bottom(), series_class(hue_of_kind(m.kind), "rule"));
    }
  }

  static constexpr double kEndLabelWidth = 100;
  Svg& svg_;
  const Figure& figure_;
  const PanelData& panel_;
  const PanelPlace& place_;
  const Scale& time_;
  const std::uint32_t merge_;
};

// Each row's cells hold the mean of the line points that end in them; a point also covers the time since the
// one before it.
void PanelDrawing::heat() {
  ground(nullptr);
  const std::size_t rows = panel_.series.size();
  const double row_height = place_.height / static_cast<double>(rows);
  const std::uint32_t columns = figure_.data.grid.columns;
  const auto least = static_cast<std::uint32_t>(rows * columns / 6000 + 1);
  const std::uint32_t cell = std::max({2u, least, merge_});
  const std::uint32_t cells = (columns + cell - 1) / cell;
  const double usual = figure_.data.grid.x(
      static_cast<double>(figure_.data.grid.from_ns + figure_.interval_ns * figure_.data.smooth));
  std::array<PathData, kHeatSteps> levels;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> sums(cells, 0);
    std::vector<double> counts(cells, 0);
    double from = 0;
    bool any = false;
    for (const LineColumn& c : panel_.series[r].series.line()) {
      if (!c.any) continue;
      if (!any || c.broken_before) from = std::max(0.0, c.first_x - usual);
      any = true;
      const double value = (c.first_y + c.last_y + c.low_y + c.high_y) / 4.0;
      const auto begin = static_cast<std::uint32_t>(from / cell);
      const auto end = std::min(
          cells - 1, static_cast<std::uint32_t>(std::max(0.0f, c.last_x) / static_cast<float>(cell)));
      for (std::uint32_t i = std::min(begin, end); i <= end; ++i) {
        sums[i] += value;
        counts[i] += 1;
      }
      from = c.last_x + 1e-6;
    }
    const double y = place_.top + (static_cast<double>(r) + 0.5) * row_height;
    for (std::uint32_t i = 0; i < cells;) {
      if (counts[i] == 0) {
        ++i;
        continue;
      }
      const auto level = [&](std::uint32_t k) {
        return counts[k] == 0 ? -1
                              : std::clamp(static_cast<int>(sums[k] / counts[k] / 100 * kHeatSteps), 0, 5);
      };
      const int l = level(i);
      std::uint32_t to = i + 1;
      while (to < cells && level(to) == l) ++to;
      PathData& path = levels[static_cast<std::size_t>(l)];
      path.move(place_.left + i * cell, y);
      path.line(std::min(place_.left + to * cell, place_.right), y);
      i = to;
    }
  }
  const double stroke = row_height >= 5 ? row_height - 1 : row_height;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const std::string data = levels[l].take();
    if (data.empty()) continue;
    svg_.start("path")
        .attr("class", fmt::format("k{} heat", l))
        .attr("stroke-width", stroke)
        .attr("d", data)
        .end();
  }
  gaps();
  const auto every = static_cast<std::size_t>(std::ceil(11 / row_height));
  for (std::size_t r = 0; r < rows; r += every) {
    svg_.text(place_.left - 8, place_.top + (static_cast<double>(r) + 0.5) * row_height + 3.8, "muted", "end",
              panel_.series[r].label);
  }
  // What the steps mean, at the right end of the title row.
  const double x0 = place_.right - 6 * 14 - 36;
  svg_.text(x0 - 5, place_.title_y, "muted", "end", "0");
  for (std::size_t l = 0; l < kHeatSteps; ++l) {
    svg_.rect(x0 + static_cast<double>(l) * 14, place_.title_y - 9, 14, 10, fmt::format("k{} fill", l));
  }
  svg_.text(place_.right, place_.title_y, "muted", "end", "100");
}

struct Severity {
  int most;  // kernel level, 0 is the worst
  std::string_view name;
  Hue hue;
};
constexpr Severity kSeverities[] = {{3, "error", kRed}, {4, "warning", kOrange}, {7, "info", kSlate}};

std::size_t severity_of(int level) {
  for (std::size_t i = 0; i < std::size(kSeverities); ++i) {
    if (level <= kSeverities[i].most) return i;
  }
  return std::size(kSeverities) - 1;
}

std::string PanelDrawing::event_note() const {
  std::array<std::uint64_t, std::size(kSeverities)> counts{};
  for (const LogEvent& e : figure_.data.events) ++counts[severity_of(e.level)];
  std::string out;
  constexpr std::string_view kMany[] = {"errors", "warnings", "other records"};
  constexpr std::string_view kOne[] = {"error", "warning", "other record"};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", counts[i], counts[i] == 1 ? kOne[i] : kMany[i]);
  }
  if (figure_.data.events_not_kept != 0)
    out += fmt::format(", {} more not drawn", figure_.data.events_not_kept);
  return out;
}

void PanelDrawing::events() {
  ground(nullptr);
  gaps();
  const double lane = place_.height / static_cast<double>(std::size(kSeverities));
  for (std::size_t s = 0; s < std::size(kSeverities); ++s) {
    const double y = place_.top + static_cast<double>(s) * lane;
    std::vector<double> xs;
    for (const LogEvent& e : figure_.data.events) {
      if (severity_of(e.level) == s) xs.push_back(std::round(x_of(e.axis_ns) * 2) / 2);
    }
    std::sort(xs.begin(), xs.end());
    xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
    PathData path;
    for (const double x : xs) {
      path.move(x, y + 2);
      path.line(x, y + lane - 2);
    }
    svg_.text(place_.left - 8, y + lane / 2 + 3.8, "muted", "end", kSeverities[s].name);
    svg_.path(path.take(), series_class(kSeverities[s].hue, "line"));
  }
  PathData base;
  base.move(place_.left, bottom());
  base.line(place_.right, bottom());
  svg_.path(base.take(), "base");
}

}  // namespace

double wanted_height(const PanelData& panel) {
  if (panel.panel->draw != Draw::heat) return panel.panel->height;
  const auto rows = static_cast<double>(panel.series.size());
  return rows * (rows <= 4 ? 14 : rows <= 8 ? 12 : rows <= 16 ? 9 : rows <= 64 ? 5 : 3);
}

std::optional<YRange> y_range(const PanelData& panel) {
  std::optional<YRange> out;
  for (const NamedSeries& s : panel.series) {
    const bool banded = panel.series.size() <= kBandedSeries;
    const double low = banded ? s.series.lowest().value : s.series.line_low();
    const double high = banded ? s.series.highest().value : s.series.line_high();
    if (!out) out = YRange{low, high};
    out->low = std::min(out->low, low);
    out->high = std::max(out->high, high);
  }
  return out;
}

void draw_panel(Svg& svg, const Figure& figure, const PanelData& panel, const PanelPlace& place,
                const Scale& time, std::optional<YRange> range, std::uint32_t merge) {
  PanelDrawing(svg, figure, panel, place, time, merge).draw(range ? range : y_range(panel));
}

}  // namespace mikroscope::plot
