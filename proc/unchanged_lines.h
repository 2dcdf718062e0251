// Which lines of a file are byte for byte what they were, where they were, at the last reading: on most
// machines most lines of a long file, and comparing them is cheaper than reading their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/arena.h"

namespace mikroscope::proc {

class UnchangedLines {
 public:
  // Remembers up to `lines` lines within the first `bytes` of a file; what lies beyond always counts as
  // changed. False: the arena is full.
  bool prepare(base::Arena& arena, std::size_t lines, std::size_t bytes);

  // Begins the next reading of a file. `text` must stay as it is until end().
  void begin(std::string_view text) { text_ = text; }
  // Whether line `n` of the text, marked at the reading before this one, is still the same.
  bool same(std::size_t n, std::string_view line) const;
  // Line `n` was understood, and what it gave can be given again for as long as it stays the same.
  void mark(std::size_t n, std::string_view line);
  void unmark(std::size_t n) {
    if (n < line_count_) lines_[n].length = 0;
  }
  // Whether the first `size` bytes are those of the reading before.
  bool same_start(std::size_t size) const;
  // The text was read to its end: it is what the next one is compared with.
  void end();
  // Nothing is the same next time: the text was not understood, or what lines mean has changed.
  void forget() { kept_size_ = 0; }

 private:
  struct Line {
    std::uint32_t at;
    std::uint32_t length;  // 0: not marked
  };
  Line* lines_ = nullptr;
  std::size_t line_count_ = 0;
  char* kept_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t kept_size_ = 0;
  std::string_view text_;
};

}  // namespace mikroscope::proc
