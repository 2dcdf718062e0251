#include "proc/unchanged_lines.h"

#include <cstring>

namespace mikroscope::proc {
namespace {

// memcmp() by words: small C libraries compare byte by byte.
bool same_bytes(const char* a, const char* b, std::size_t size) {
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if (x != y) return false;
    a += sizeof x;
    b += sizeof y;
  }
  for (; size != 0; --size) {
    if (*a++ != *b++) return false;
  }
  return true;
}

}  // namespace

bool UnchangedLines::prepare(base::Arena& arena, std::size_t lines, std::size_t bytes) {
  lines_ = arena.make<Line>(lines);
  kept_ = static_cast<char*>(arena.take(bytes, alignof(std::uint64_t)));
  if (lines_ == nullptr || kept_ == nullptr) return false;
  line_count_ = lines;
  capacity_ = bytes;
  return true;
}

bool UnchangedLines::same(std::size_t n, std::string_view line) const {
  if (n >= line_count_) return false;
  const auto at = static_cast<std::size_t>(line.data() - text_.data());
  const Line& known = lines_[n];
  return known.length != 0 && known.at == at && known.length == line.size() &&
         at + line.size() <= kept_size_ && same_bytes(line.data(), kept_ + at, line.size());
}

void UnchangedLines::mark(std::size_t n, std::string_view line) {
  if (n >= line_count_) return;
  lines_[n].at = static_cast<std::uint32_t>(line.data() - text_.data());
  lines_[n].length = static_cast<std::uint32_t>(line.size());
}

bool UnchangedLines::same_start(std::size_t size) const {
  return size <= kept_size_ && size <= text_.size() && same_bytes(text_.data(), kept_, size);
}

void UnchangedLines::end() {
  kept_size_ = text_.size() < capacity_ ? text_.size() : capacity_;
  if (kept_size_ != 0) std::memcpy(kept_, text_.data(), kept_size_);
}

}  // namespace mikroscope::proc
