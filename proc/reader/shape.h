// Samples of one recording nearly always have the same text but for the numbers. So a table that was parsed
// as JSON leaves a shape: the literal text between the numbers, and the slot of each number. The same table
// of later samples is compared with the shape, and is parsed as JSON again only where it differs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proc/reader/learned_tables.h"

namespace mikroscope::proc {

struct Shape {
  struct Step {
    std::uint32_t length = 0;  // of the literal before the number
    std::uint32_t slot = 0;
    std::uint8_t decimals = 0;
  };
  std::string text;  // ,"table":value without its numbers
  std::vector<Step> steps;
  std::uint32_t table = 0;
  bool skip = false;  // the value of a table that nobody wants: `text` is what stands before it

  // A number at `begin` to `end`, whose literal begins at `literal`, which moves behind the number.
  void add_number(const char*& literal, const char* begin, const char* end, std::uint32_t slot,
                  std::uint8_t decimals) {
    text.append(literal, begin);
    steps.push_back({static_cast<std::uint32_t>(begin - literal), slot, decimals});
    literal = end;
  }
};

class Shapes {
 public:
  // Whether the member that begins at `p` has a known shape: its cells are set then, and `p` moves behind it.
  // Members are looked for in the order of the lines before, from where the last one stood in it. The byte at
  // `end`, the line's break, is readable and no digit.
  bool match(const char*& p, const char* end, LearnedTables::Cells& cells);
  // A line begins.
  void rewind() { position_ = 0; }
  // Keeps the shape of the member that match() refused.
  void keep(Shape shape);
  // What shapes say about slots is no longer true.
  void clear() { places_.clear(); }

 private:
  static bool try_table(const Shape& shape, const char*& p, const char* end, LearnedTables::Cells& cells);

  std::vector<std::vector<Shape>> places_;  // by position among the tables of a line
  std::size_t position_ = 0;
};

// A decimal integer scaled by `decimals`, exactly as the writer prints it: digits, and with decimals exactly
// so many after the point. Moves `p`; false where anything else stands. The byte at `end` is readable and no
// digit.
bool fast_number(const char*& p, const char* end, int decimals, std::int64_t& out);

}  // namespace mikroscope::proc
