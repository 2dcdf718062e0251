#include "cli/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/clock.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kPlainEveryNs = 30 * base::kNsPerSecond;

std::size_t width_of(std::FILE* stream) {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 10) return size.ws_col - 1U;
  return 79;
}

}  // namespace

std::string fit_columns(const std::string& text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool begins = (byte & 0xC0) != 0x80;
    if (begins && used++ == columns) return out;
    out += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return out;
}

StatusLine::StatusLine(std::FILE* stream, bool quiet) : stream_(stream), mode_(Mode::plain) {
  const char* const term = std::getenv("TERM");
  if (quiet) {
    mode_ = Mode::quiet;
  } else if (::isatty(::fileno(stream)) != 0 && term != nullptr && std::string_view(term) != "dumb") {
    mode_ = Mode::terminal;
  }
  printed_ns_ = base::monotonic_ns();
}

void StatusLine::put(const std::string& text) {
  std::fputs(text.c_str(), stream_);
  std::fflush(stream_);
}

void StatusLine::update(const std::string& text, std::int64_t now_ns) {
  last_ = text;
  if (mode_ == Mode::terminal) {
    const std::string line = fit_columns(text, width_of(stream_));
    // The status stands above the line where the user types: save the cursor, go up, rewrite, come back.
    put(drawn_ ? "\0337\033[1A\r\033[K" + line + "\0338" : line + "\n");
    drawn_ = true;
  } else if (mode_ == Mode::plain && now_ns - printed_ns_ >= kPlainEveryNs) {
    put(text + "\n");
    printed_ns_ = now_ns;
  }
}

void StatusLine::message(const std::string& text, bool typed) {
  if (mode_ == Mode::quiet) return;
  if (mode_ == Mode::plain || !drawn_) {
    put(text + "\n");
    return;
  }
  const std::size_t width = width_of(stream_);
  put((typed ? "\033[2A\r\033[J" : "\033[1A\r\033[J") + fit_columns(text, width) + "\n" +
      fit_columns(last_, width) + "\n");
}

void StatusLine::warning(const std::string& text) {
  if (mode_ == Mode::quiet) {
    put(text + "\n");
  } else {
    message(text);
  }
}

void StatusLine::finish() {
  // "^C" and half-typed text go; the last status stays.
  if (mode_ == Mode::terminal && drawn_) put("\r\033[K");
  drawn_ = false;
}

}  // namespace mikroscope::cli
