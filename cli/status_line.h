// What record shows while it runs: a line that is redrawn on a terminal, now and then a plain line elsewhere.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace mikroscope::cli {

class StatusLine {
 public:
  enum class Mode : std::uint8_t { quiet, plain, terminal };
  // Terminal mode where `stream` is a terminal that can move its cursor.
  StatusLine(std::FILE* stream, bool quiet);

  Mode mode() const { return mode_; }
  // Redraws in terminal mode. In plain mode prints where 30 s have passed since the last time. The line below
  // it stays as it is: what is being typed is not disturbed.
  void update(const std::string& text, std::int64_t now_ns);
  // A line that stays, above the status. `typed`: the user's own line stands on the screen and is replaced.
  void message(const std::string& text, bool typed = false);
  // A warning; shown even when quiet.
  void warning(const std::string& text);
  // Others wrote to the screen: the status goes below that, on a line of its own.
  void start_anew() { drawn_ = false; }
  // Leaves the screen as it should stay.
  void finish();

 private:
  void put(const std::string& text);

  std::FILE* stream_;
  Mode mode_;
  bool drawn_ = false;
  std::string last_;
  std::int64_t printed_ns_ = 0;
};

// `text` cut to `columns` screen columns, on a character; control bytes become '?'.
std::string fit_columns(const std::string& text, std::size_t columns);

}  // namespace mikroscope::cli
