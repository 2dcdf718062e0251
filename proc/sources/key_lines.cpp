#include "proc/sources/key_lines.h"

#include <cstring>

#include "base/text.h"

namespace mikroscope::proc {

std::uint64_t KeyLines::read(std::string_view text, std::span<std::uint64_t> values, bool afresh) {
  std::uint64_t seen = 0;
  if (!afresh && lines_ != 0 && recall(text, values, seen)) return seen;
  return learn(text, values);
}

bool KeyLines::recall(std::string_view text, std::span<std::uint64_t> values, std::uint64_t& seen) const {
  for (std::uint64_t& value : values) value = 0;
  base::Scanner s(text);
  for (const Line& line : std::span(line_, lines_)) {
    for (std::uint16_t i = 0; i < line.skip; ++i) s.line();
    std::uint64_t value = 0;
    if (!s.consume(std::string_view(names_ + line.name, line.length)) || !s.consume(separator_) ||
        !s.u64(value)) {
      return false;
    }
    values[line.place] += value;
    seen |= std::uint64_t{1} << line.place;
    s.line();
  }
  return true;
}

std::uint64_t KeyLines::learn(std::string_view text, std::span<std::uint64_t> values) {
  for (std::uint64_t& value : values) value = 0;
  lines_ = 0;
  names_used_ = 0;
  bool all_remembered = true;
  std::uint64_t seen = 0;
  std::uint16_t skip = 0;
  base::Scanner file(text);
  while (!file.done()) {
    base::Scanner line(file.line());
    std::string_view name;
    std::uint64_t value = 0;
    const int place = line.until(separator_, name) ? wanted_(name) : kUnwanted;
    if (place == kUnwanted || !line.u64(value)) {
      if (skip != UINT16_MAX) ++skip;
      continue;
    }
    values[static_cast<std::size_t>(place)] += value;
    seen |= std::uint64_t{1} << place;
    all_remembered = all_remembered && remember(name, skip, place);
    skip = 0;
  }
  if (!all_remembered) lines_ = 0;  // an odd file is scanned in full every time
  return seen;
}

bool KeyLines::remember(std::string_view name, std::uint16_t skip, int place) {
  if (lines_ == kMaxLines || name.size() > UINT8_MAX || name.size() > kMaxNames - names_used_ ||
      skip == UINT16_MAX) {
    return false;
  }
  std::memcpy(names_ + names_used_, name.data(), name.size());
  line_[lines_++] = {skip, static_cast<std::uint16_t>(names_used_), static_cast<std::uint8_t>(name.size()),
                     static_cast<std::uint8_t>(place)};
  names_used_ += name.size();
  return true;
}

}  // namespace mikroscope::proc
