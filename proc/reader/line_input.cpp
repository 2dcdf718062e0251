#include "proc/reader/line_input.h"

#include <cstring>

namespace mikroscope::proc {

void LineInput::feed(std::string_view bytes) {
  keep_rest();
  buffer_.append(bytes);
  input_ = buffer_;
}

void LineInput::feed_in_place(std::string_view bytes) {
  keep_rest();
  if (buffer_.empty()) {
    input_ = bytes;
    return;
  }
  // A line that the previous bytes began is completed in the buffer; the others are read where they are.
  const std::size_t newline = bytes.find('\n');
  const std::size_t head = newline == std::string_view::npos ? bytes.size() : newline + 1;
  buffer_.append(bytes.substr(0, head));
  input_ = buffer_;
  rest_ = bytes.substr(head);
}

LineInput::Got LineInput::next(bool finished, std::string_view& line) {
  if (consumed_ == input_.size()) {
    if (rest_.empty()) return Got::nothing;
    buffer_.clear();
    input_ = rest_;
    rest_ = {};
    consumed_ = 0;
  }
  const char* const start = input_.data() + consumed_;
  const std::size_t left = input_.size() - consumed_;
  const void* const newline = std::memchr(start, '\n', left);
  if (newline == nullptr) {
    if (!finished && left <= kMaxLine) {
      keep_rest();
      return Got::nothing;
    }
    consumed_ += left;
    if (!counted_) ++line_number_;
    counted_ = !finished;
    return finished ? Got::cut : Got::too_long;
  }
  const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
  consumed_ += length + 1;
  if (!counted_) ++line_number_;
  counted_ = false;
  line = {start, length};
  if (line.ends_with('\r')) line.remove_suffix(1);
  return Got::line;
}

// The unparsed input moves into the buffer, since the caller's memory may go.
void LineInput::keep_rest() {
  if (input_.data() != buffer_.data())
    buffer_.assign(input_.substr(consumed_));
  else
    buffer_.erase(0, consumed_);
  buffer_.append(rest_);
  rest_ = {};
  consumed_ = 0;
  input_ = buffer_;
}

}  // namespace mikroscope::proc
