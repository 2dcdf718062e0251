#include "plot/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/svg.h"
#include "plot/svg_text.h"

namespace mikroscope::plot {
namespace {

constexpr std::string_view kSpace = "\xC2\xA0";  // does not break

std::string plural(std::uint64_t n, std::string_view thing) {
  return fmt::format("{}{}{}{}", exact_value(static_cast<double>(n)), kSpace, thing, n == 1 ? "" : "s");
}

std::string milliseconds(double ms) {
  if (ms >= 1000) return plain_number(ms / 1000, 2) + std::string(kSpace) + "s";
  return plain_number(ms, 1) + std::string(kSpace) + "ms";
}

// The series that the note and the description speak of: the one with the highest single value.
const NamedSeries* leader(const PanelData& panel) {
  const NamedSeries* best = nullptr;
  for (const NamedSeries& s : panel.series) {
    if (best == nullptr || s.series.highest().value > best->series.highest().value) best = &s;
  }
  return best;
}

std::string span_text(const Figure& f) {
  return say_time(static_cast<double>(f.data.grid.last_ns - f.data.grid.first_ns) / 1e9, 1);
}

}  // namespace

int time_decimals(const Figure& figure) {
  const std::int64_t i = figure.interval_ns;
  return i >= 950'000'000 || i == 0 ? 0 : i >= 95'000'000 ? 1 : i >= 9'500'000 ? 2 : 3;
}

std::string value_with_unit(double value, std::string_view unit) {
  const std::string number = exact_value(value);
  if (unit.empty()) return number;
  if (unit == "per s") return number + "/s";
  return fmt::format("{}{}{}", number, kSpace, unit.starts_with("% ") ? "%" : unit);
}

std::string subtitle(const Figure& figure) {
  std::string out = plural(figure.data.samples, "sample");
  if (figure.interval_ns > 0) {
    out += fmt::format(", {}{}Hz", plain_number(1e9 / static_cast<double>(figure.interval_ns), 1), kSpace);
  }
  out += ", " + span_text(figure);
  if (figure.data.cores != 0) out += ", " + plural(figure.data.cores, "core");
  if (!figure.machine.empty()) out += " \xC2\xB7 " + figure.machine;
  return out;
}

std::string panel_note(const Figure& figure, const PanelData& panel) {
  const NamedSeries* s = leader(panel);
  if (s == nullptr || panel.panel->draw == Draw::heat) return {};
  const Extreme& peak = s->series.highest();
  std::string out;
  const bool flat = peak.value == s->series.lowest().value;
  if (flat && peak.value == 0) return "0 throughout";
  if (flat && panel.series.size() == 1) {
    out = "steady " + value_with_unit(peak.value, panel.panel->unit);
  } else {
    out = fmt::format("peak {} at {}", value_with_unit(peak.value, panel.panel->unit),
                      say_time(figure.seconds(peak.axis_ns), time_decimals(figure)));
    if (panel.series.size() > 1) {
      out += fmt::format(" ({})", cut_cells(clean_text(s->label), 20));
    } else {
      out += ", mean " + value_with_unit(s->series.mean(), panel.panel->unit);
    }
  }
  if (panel.limit) {
    out += fmt::format(", limit {}", exact_value(*panel.limit));
    if (*panel.limit > 0)
      out += fmt::format(" ({}{}% used)", exact_value(100 * peak.value / *panel.limit), kSpace);
  }
  return out;
}

std::vector<std::string> footnotes(const Figure& figure) {
  std::vector<std::string> out;
  const Collected& d = figure.data;
  const double interval_ms = static_cast<double>(figure.interval_ns) / 1e6;
  if (d.smooth > 1) {
    std::string text = fmt::format("Lines: mean of {} samples ({}). Bands: least to greatest single sample",
                                   exact_value(d.smooth), milliseconds(d.smooth * interval_ms));
    if (d.slide > 1) {
      text += fmt::format("; for CPU time, which comes in ticks, of {} samples ({})", d.slide,
                          milliseconds(d.slide * interval_ms));
    }
    text += "; so are peaks.";
    if (d.dropped_samples != 0) {
      text += fmt::format(" In the bands only, too few for a last mean: {}.",
                          plural(d.dropped_samples, "sample"));
    }
    out.push_back(text);
  }
  std::uint64_t lost = 0;
  std::size_t gaps = 0;
  std::size_t restarts = 0;
  for (const Break& b : d.breaks) {
    gaps += b.lost != 0 ? 1 : 0;
    restarts += b.restart ? 1 : 0;
    lost += b.lost;
  }
  if (!d.breaks.empty()) {
    std::string text = "Hatched:";
    if (gaps != 0) text += fmt::format(" {}, {} lost", plural(gaps, "gap"), plural(lost, "sample"));
    if (restarts != 0) text += fmt::format("{} {}", gaps != 0 ? ";" : "", plural(restarts, "restart"));
    out.push_back(text + ".");
  }
  if (!figure.background.empty()) {
    std::size_t raw = 0;
    for (const BackgroundSpan& s : figure.background) raw += s.smoothed ? 0 : 1;
    std::string text = plural(figure.background.size() - raw, "background span") +
                       " smoothed (each sample drawn as the mean of the second on either side)";
    if (raw != 0) text += fmt::format(", {} left as measured (no sample beside it)", raw);
    out.push_back(text + ".");
  }
  if (!figure.panels_left_out.empty()) {
    std::string text = "Left out for want of data: ";
    for (std::size_t i = 0; i < figure.panels_left_out.size(); ++i) {
      text += (i == 0 ? "" : ", ") + figure.panels_left_out[i];
    }
    out.push_back(text + ".");
  }
  return out;
}

std::string time_caption(const Figure& figure, std::string_view unit) {
  const std::string since =
      figure.t0_label.empty() ? "since the recording started" : "since " + figure.t0_label;
  return unit == "s" ? "seconds " + since : fmt::format("{} {}", unit, since);
}

std::string description(const Figure& figure) {
  std::string out = subtitle(figure) + ".";
  for (const PanelData& p : figure.data.panels) {
    const std::string note = panel_note(figure, p);
    if (!note.empty()) out += fmt::format(" {}: {}.", p.panel->title, note);
  }
  if (!figure.marks.empty()) {
    constexpr std::size_t kNamed = 20;
    out += " Markers: ";
    for (std::size_t i = 0; i < figure.marks.size() && i < kNamed; ++i) {
      out += fmt::format("{}{} at {}", i == 0 ? "" : ", ", cut_cells(figure.marks[i].label, 60),
                         say_time(figure.seconds(figure.marks[i].axis_ns), 1));
    }
    if (figure.marks.size() > kNamed) out += fmt::format(", and {} more", figure.marks.size() - kNamed);
    out += ".";
  }
  for (const std::string& note : footnotes(figure)) out += " " + note;
  return out;
}

std::string metadata(const Figure& figure) {
  Svg svg;
  svg.raw("<metadata>\n");
  svg.start("mk:figure").attr("xmlns:mk", "urn:mikroscope:figure");
  if (!figure.version.empty()) svg.attr("tool", "mikroscope " + figure.version);
  svg.attr("recording", figure.file).attr("sha256", figure.sha256);
  if (figure.hash_from_meta) svg.attr("sha256_of", "meta.json");
  svg.attr("from_s", plain_number(figure.seconds(figure.data.grid.first_ns), 3));
  svg.attr("to_s", plain_number(figure.seconds(figure.data.grid.last_ns), 3));
  if (!figure.t0_label.empty()) svg.attr("t0", figure.t0_label);
  svg.attr("smooth", fmt::format("{}", figure.data.smooth));
  svg.attr("samples", fmt::format("{}", figure.data.samples));
  if (!figure.background.empty()) {
    std::string spans;
    for (const BackgroundSpan& s : figure.background) {
      spans += fmt::format("{}{}..{}", spans.empty() ? "" : " ", plain_number(s.from_s, 3),
                           plain_number(s.to_s, 3));
    }
    svg.attr("background", spans);
  }
  svg.end();
  svg.raw("</metadata>\n");
  return svg.take();
}

std::vector<std::string> wrap(std::string_view text, double width, double px) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (!line.empty() && text_width(longer, px) > width) {
      lines.push_back(std::move(line));
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string document_head(const Figure& figure, Theme theme, double width, double height) {
  Svg svg;
  svg.start("svg").attr("xmlns", "http://www.w3.org/2000/svg");
  svg.attr("viewBox", fmt::format("0 0 {} {}", coordinate(width), coordinate(height)));
  svg.attr("role", "img").attr("aria-label", figure.title).open();
  svg.start("title").content(figure.title);
  svg.start("desc").content(description(figure));
  svg.raw(metadata(figure));
  svg.raw(style_element(theme));
  svg.raw(
      "<defs><pattern id=\"lost\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path class=\"hatch\" d=\"M3 0v6\"/></pattern></defs>\n");
  svg.rect(0, 0, width, height, "bg");
  return svg.take();
}

}  // namespace mikroscope::plot
