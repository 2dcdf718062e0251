// Cuts what a reader is fed into lines, from a buffer of its own or in the caller's memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mikroscope::proc {

class LineInput {
 public:
  enum class Got {
    line,
    nothing,   // all complete lines have been handed out
    cut,       // finished, and bytes without a line break were left: they are dropped
    too_long,  // more than kMaxLine bytes without a line break: they are dropped
  };
  static constexpr std::size_t kMaxLine = 64U << 20;

  LineInput() = default;
  LineInput(const LineInput&) = delete;
  LineInput& operator=(const LineInput&) = delete;

  void feed(std::string_view bytes);
  // Without a copy: `bytes` must stay until next() has said `nothing`.
  void feed_in_place(std::string_view bytes);
  // The next line without its break (or "\r\n"), valid until the next call of anything here; the byte behind
  // it is readable. With `finished`, what is left is no beginning of a line.
  Got next(bool finished, std::string_view& line);
  // Of the line that next() said something about, from 1.
  std::uint64_t line_number() const { return line_number_; }

 private:
  void keep_rest();

  std::string buffer_;      // what was fed and is not parsed: all of it, or the beginning of a cut line
  std::string_view input_;  // what is parsed now: the buffer, or the caller's memory
  std::string_view rest_;   // of the caller's memory, behind a line that began in the buffer
  std::size_t consumed_ = 0;
  std::uint64_t line_number_ = 0;
  bool counted_ = false;  // the line at hand, as too long: what is left of it is the same line
};

}  // namespace mikroscope::proc
