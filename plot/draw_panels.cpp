// The panels layout: title, chips, one panel below the other over one time axis, and what there is to say
// about them.

#include <fmt/format.h>

#include <algorithm>

#include "plot/chips.h"
#include "plot/describe.h"
#include "plot/draw_panel.h"
#include "plot/figure.h"
#include "plot/svg.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr double kLeft = 70;
constexpr double kRight = 118;  // of the right margin, where end labels stand
constexpr double kHeader = 64;  // title and subtitle
constexpr double kChipRow = 20;
constexpr double kChipHeight = 16;
constexpr double kPanelGap = 12;
constexpr double kAxis = 20;  // a row of time labels
constexpr double kFootLine = 16;
constexpr std::size_t kAxisEvery = 5;  // panels: in a tall figure, the time must not be a scroll away
constexpr std::size_t kMaxBytes = 400'000;

class PanelsFigure {
 public:
  PanelsFigure(const Figure& figure, const std::vector<SharedRange>& shared) : f_(figure), shared_(shared) {
    const PlotArea area = panels_area(f_.width);
    left_ = area.left;
    right_ = area.right;
    for (const PanelData& p : f_.data.panels) {
      if (has_data(p)) panels_.push_back(&p);
    }
    std::vector<double> xs;
    for (const Mark& m : f_.marks) xs.push_back(x_of(m.axis_ns));
    ChipStyle style;
    style.left = left_;
    style.right = right_;
    chips_ = place_chips(f_.marks, xs, style);
    notes_ = footnotes(f_);
    time_ = scale_time(f_.seconds(f_.data.grid.from_ns), f_.seconds(f_.data.grid.to_ns), right_ - left_, 11);
  }

  Drawn draw(Theme theme, std::uint32_t merge) {
    arrange();
    Svg svg;
    svg.raw(document_head(f_, theme, f_.width, height_));
    header(svg);
    chips(svg);
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      std::optional<YRange> range;
      for (const SharedRange& s : shared_) {
        if (s.panel == panels_[i]->panel->name) range = s.range;
      }
      draw_panel(svg, f_, *panels_[i], places_[i], time_, range, merge);
      if (has_axis(i)) axis(svg, places_[i].top + places_[i].height, i + 1 == panels_.size());
    }
    footer(svg);
    svg.raw("</svg>\n");
    return {svg.take(), chips_.without};
  }

 private:
  static bool has_data(const PanelData& p) { return !p.series.empty() || p.panel->draw == Draw::events; }
  double x_of(std::int64_t axis_ns) const { return left_ + f_.data.grid.x(static_cast<double>(axis_ns)); }
  bool has_axis(std::size_t i) const {
    const std::size_t left = panels_.size() - 1 - i;
    return left == 0 || ((i + 1) % kAxisEvery == 0 && left >= 2);
  }

  void arrange() {
    places_.clear();
    double fixed = chips_bottom() + 6;
    double plots = 0;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      fixed += kPanelTitle + kPanelGap + (has_axis(i) ? kAxis : 0);
      plots += wanted_height(*panels_[i]);
    }
    foot_lines_.clear();
    for (const std::string& note : notes_) {
      for (std::string& line : wrap(note, right_ - left_ + kRight - 20, 11))
        foot_lines_.push_back(std::move(line));
    }
    const double foot =
        14 + kFootLine * static_cast<double>(foot_lines_.size() + (kinds().empty() ? 0 : 1)) + 8;
    const double stretch = f_.height > 0 ? std::max(0.4, (f_.height - fixed - foot) / plots) : 1;
    double y = chips_bottom() + 6;
    for (std::size_t i = 0; i < panels_.size(); ++i) {
      PanelPlace p;
      p.left = left_;
      p.right = right_;
      p.title_y = y + 15;
      p.top = y + kPanelTitle;
      p.height = wanted_height(*panels_[i]) * stretch;
      places_.push_back(p);
      y = p.top + p.height + kPanelGap + (has_axis(i) ? kAxis : 0);
    }
    foot_y_ = y + 14;
    height_ = std::max<double>(f_.height, y + foot);
  }

  double chips_bottom() const { return kHeader + kChipRow * chips_.rows; }

  void header(Svg& svg) const {
    const double room = f_.width - left_ - 20;
    svg.text(left_, 30, "h1 ink", "start", cut_width(clean_text(f_.title), room / 1.08, 18));
    svg.text(left_, 50, "muted", "start", cut_width(clean_text(subtitle(f_)), room, 11));
  }

  void chips(Svg& svg) const {
    for (const Chip& c : chips_.chips) {
      const double y = kHeader + kChipRow * (chips_.rows - 1 - c.row);
      svg.line(c.rule_x, y + kChipHeight, c.rule_x, chips_bottom() + 6,
               fmt::format("c{} rule", static_cast<int>(c.hue)));
    }
    for (const Chip& c : chips_.chips) {
      const double y = kHeader + kChipRow * (chips_.rows - 1 - c.row);
      svg.start("rect").attr("x", c.x).attr("y", y).attr("width", c.width).attr("height", kChipHeight);
      svg.attr("rx", 3.0).attr("class", fmt::format("c{} fill", static_cast<int>(c.hue))).end();
      svg.text(c.x + c.width / 2, y + 11.8, "chip", "middle", c.text);
    }
  }

  void axis(Svg& svg, double bottom, bool last) const {
    for (const Tick& t : time_.ticks) {
      svg.text(left_ + time_.at(t.value) * (right_ - left_), bottom + 15, "muted", "middle", t.label);
    }
    if (last) svg.text(right_, bottom + 30, "muted", "end", time_caption(f_, time_.caption));
  }

  std::vector<std::string> kinds() const {
    std::vector<std::string> out;
    for (const Mark& m : f_.marks) {
      if (std::find(out.begin(), out.end(), m.kind) == out.end()) out.push_back(m.kind);
    }
    return out;
  }

  void footer(Svg& svg) const {
    double y = foot_y_;
    const auto kinds_here = kinds();
    if (!kinds_here.empty()) {
      double x = left_;
      for (const std::string& kind : kinds_here) {
        const std::string name = cut_cells(clean_text(kind), 20);
        const double width = 14 + text_width(name, 11) + 16;
        if (x + width > f_.width - 10) break;
        svg.start("rect")
            .attr("x", x)
            .attr("y", y - 9)
            .attr("width", 10.0)
            .attr("height", 10.0)
            .attr("rx", 2.0);
        svg.attr("class", fmt::format("c{} fill", static_cast<int>(hue_of_kind(kind)))).end();
        svg.text(x + 14, y, "muted", "start", name);
        x += width;
      }
      y += kFootLine;
    }
    for (const std::string& line : foot_lines_) {
      svg.text(left_, y, "muted", "start", line);
      y += kFootLine;
    }
  }

  const Figure& f_;
  const std::vector<SharedRange>& shared_;
  double left_ = 0;
  double right_ = 0;
  double height_ = 0;
  double foot_y_ = 0;
  std::vector<const PanelData*> panels_;
  std::vector<PanelPlace> places_;
  ChipLayout chips_;
  std::vector<std::string> notes_;
  std::vector<std::string> foot_lines_;
  Scale time_;
};

}  // namespace

PlotArea panels_area(std::uint32_t width) {
  return {kLeft, width - kRight};
}

Drawn draw_panels(const Figure& figure, Theme theme, const std::vector<SharedRange>& shared) {
  PanelsFigure panels(figure, shared);
  Drawn drawn = panels.draw(theme, 1);
  for (std::uint32_t merge = 2; drawn.svg.size() > kMaxBytes && merge <= 16; merge *= 2) {
    drawn = panels.draw(theme, merge);
  }
  return drawn;
}

}  // namespace mikroscope::plot
