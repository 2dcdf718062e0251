#include "plot/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "plot/svg_text.h"

namespace mikroscope::plot {

std::string plain_number(double value, int decimals) {
  if (!std::isfinite(value)) return "0";
  std::string out = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

Svg& Svg::start(std::string_view element) {
  element_ = element;
  out_ += '<';
  out_ += element;
  return *this;
}

Svg& Svg::attr(std::string_view name, double value) {
  out_ += ' ';
  out_ += name;
  out_ += "=\"";
  out_ += coordinate(value);
  out_ += '"';
  return *this;
}

Svg& Svg::attr(std::string_view name, std::string_view value) {
  out_ += ' ';
  out_ += name;
  out_ += "=\"";
  out_ += escape_xml(clean_text(value));
  out_ += '"';
  return *this;
}

void Svg::end() {
  out_ += "/>\n";
}

void Svg::open() {
  out_ += ">\n";
}

void Svg::close(std::string_view element) {
  out_ += "</";
  out_ += element;
  out_ += ">\n";
}

void Svg::content(std::string_view text) {
  out_ += '>';
  out_ += escape_xml(clean_text(text));
  close(element_);
}

void Svg::text(double x, double y, std::string_view css_class, std::string_view anchor,
               std::string_view content_text) {
  start("text").attr("x", x).attr("y", y).attr("class", css_class);
  if (anchor != "start") attr("text-anchor", anchor);
  content(content_text);
}

void Svg::rect(double x, double y, double width, double height, std::string_view css_class) {
  start("rect")
      .attr("x", x)
      .attr("y", y)
      .attr("width", width)
      .attr("height", height)
      .attr("class", css_class)
      .end();
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  start("path").attr(
      "d", "M" + coordinate(x1) + " " + coordinate(y1) + "L" + coordinate(x2) + " " + coordinate(y2));
  attr("class", css_class).end();
}

void Svg::path(std::string_view data, std::string_view css_class) {
  if (data.empty()) return;
  start("path").attr("class", css_class).attr("d", data).end();
}

void PathData::number(std::int64_t tenths) {
  const bool negative = tenths < 0;
  const std::uint64_t n = static_cast<std::uint64_t>(negative ? -tenths : tenths);
  if (negative) {
    out_ += '-';
  } else if (const char c = out_.back(); c >= '0' && c <= '9') {
    out_ += ' ';
  }
  if (n >= 10 || n % 10 == 0) out_ += fmt::format("{}", n / 10);
  if (n % 10 != 0) {
    out_ += '.';
    out_ += static_cast<char>('0' + n % 10);
  }
}

void PathData::move(double x, double y) {
  dot_if_single();
  x_ = std::llround(x * 10);
  y_ = std::llround(y * 10);
  out_ += 'M';
  number(x_);
  number(y_);
  last_ = 0;
  points_ = 1;
}

void PathData::line(double x, double y) {
  const std::int64_t tx = std::llround(x * 10);
  const std::int64_t ty = std::llround(y * 10);
  const std::int64_t dx = tx - x_;
  const std::int64_t dy = ty - y_;
  if (dx == 0 && dy == 0) return;
  ++points_;
  x_ = tx;
  y_ = ty;
  if (dy == 0 && (level_ == 0 || (level_ > 0) == (dx > 0))) {
    level_ += dx;
    return;
  }
  flush();
  if (dy == 0) {
    level_ = dx;
  } else if (dx == 0) {
    if (last_ != 'v') out_ += 'v';
    number(dy);
    last_ = 'v';
  } else {
    if (last_ != 'l') out_ += 'l';
    number(dx);
    number(dy);
    last_ = 'l';
  }
}

void PathData::flush() {
  if (level_ == 0) return;
  out_ += 'h';
  number(level_);
  last_ = 'h';
  level_ = 0;
}

void PathData::close() {
  flush();
  out_ += 'z';
  last_ = 0;
  points_ = 0;
}

void PathData::dot_if_single() {
  flush();
  if (points_ == 1) out_ += "h0";
  points_ = 0;
}

std::string PathData::take() {
  dot_if_single();
  return std::move(out_);
}

}  // namespace mikroscope::plot
