// The SVG writer: fixed precision, attributes in the order of the calls, no locale, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mikroscope::plot {

// `value` with at most `decimals` digits after the point, trailing zeros cut, never "-0". Not a number: "0".
std::string plain_number(double value, int decimals);
// Coordinates: one decimal.
inline std::string coordinate(double value) {
  return plain_number(value, 1);
}

class Svg {
 public:
  // Begins an element; attributes follow.
  Svg& start(std::string_view element);
  Svg& attr(std::string_view name, double value);
  Svg& attr(std::string_view name, std::string_view value);  // cleaned and escaped here
  Svg& attr(std::string_view name, const char* value) { return attr(name, std::string_view(value)); }
  void end();                            // an empty element: "/>"
  void open();                           // with content: ">" and a new line
  void close(std::string_view element);  // "</element>"
  void content(std::string_view text);   // ">text</element>", text cleaned and escaped here
  void raw(std::string_view markup) { out_ += markup; }

  // Shorthands for what figures are made of.
  void text(double x, double y, std::string_view css_class, std::string_view anchor,
            std::string_view content_text);
  void rect(double x, double y, double width, double height, std::string_view css_class);
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);
  void path(std::string_view data, std::string_view css_class);

  std::size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::string element_;
};

// Path data in as few bytes as one decimal allows: positions are rounded to tenths first, then written as
// differences, so that rounding never adds up.
class PathData {
 public:
  void move(double x, double y);
  void line(double x, double y);
  void close();
  bool empty() const { return out_.empty(); }
  // Ends a subpath of a single point in a stroke of no length, which round caps draw as a dot.
  void dot_if_single();
  std::string take();

 private:
  void number(std::int64_t tenths);
  void flush();
  std::string out_;
  std::int64_t x_ = 0;
  std::int64_t y_ = 0;
  std::int64_t level_ = 0;    // a horizontal stroke not yet written: longer while the line stays level
  std::uint32_t points_ = 0;  // in the current subpath
  char last_ = 0;             // command whose letter need not be repeated
};

}  // namespace mikroscope::plot
