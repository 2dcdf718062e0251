#include "sinks/stores/json_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>

#include "base/text.h"

namespace mikroscope::sinks {
namespace {

// How many bytes the sequence at the start of `text` has; 0: it is not valid.
std::size_t sequence(std::string_view text) {
  return static_cast<std::size_t>(base::utf8_length(text));
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t n = sequence(text);
    if (n == 0)
      out += "\xEF\xBF\xBD";
    else
      out += text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t n = sequence(text);
    const char c = text.front();
    if (n == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (n == 1 && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, n);
    }
    text.remove_prefix(n == 0 ? 1 : n);
  }
  out += '"';
}

bool append_number(std::string& out, const model::Event& event, const model::Field& field,
                   std::uint32_t slot) {
  if (!event.has(slot)) return false;
  char buffer[40];
  const auto put = [&](std::to_chars_result result) { out.append(buffer, result.ptr); };
  switch (field.type) {
    case model::Type::integer:
      put(std::to_chars(buffer, buffer + sizeof buffer, event.integer(slot)));
      return true;
    case model::Type::decimal: {
      const std::int64_t cell = event.integer(slot);
      std::uint64_t scale = 1;
      for (int i = 0; i < field.decimals; ++i) scale *= 10;
      const std::uint64_t size =
          cell < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(cell) : static_cast<std::uint64_t>(cell);
      if (cell < 0) out += '-';
      put(std::to_chars(buffer, buffer + sizeof buffer, size / scale));
      if (field.decimals > 0) out += fmt::format(".{:0{}}", size % scale, field.decimals);
      return true;
    }
    case model::Type::real: {
      const double value = event.real(slot);
      if (!std::isfinite(value)) return false;
      const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
      const std::string_view digits(buffer, static_cast<std::size_t>(result.ptr - buffer));
      out += digits;
      // Stores that learn a column's type from its first value must see a real.
      if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
      return true;
    }
    case model::Type::boolean:
    case model::Type::text:
      break;
  }
  return false;
}

bool append_json_cell(std::string& out, const model::Event& event, const model::Field& field,
                      std::uint32_t slot) {
  if (!event.has(slot)) return false;
  if (field.type == model::Type::boolean) {
    out += event.integer(slot) != 0 ? "true" : "false";
    return true;
  }
  if (field.type == model::Type::text) {
    append_json_string(out, event.text(slot));
    return true;
  }
  return append_number(out, event, field, slot);
}

bool is_digits(std::string_view text) {
  if (text.empty() || text.size() > 18) return false;
  return text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text[0] != '0');
}

void append_json_key(std::string& out, const model::Key& key, std::string_view text) {
  if (!key.text && is_digits(text))
    out += text;
  else
    append_json_string(out, text);
}

UtcTime utc(std::int64_t wall_ns) {
  std::int64_t seconds = wall_ns / 1'000'000'000;
  std::int64_t rest = wall_ns % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  }
  const std::time_t time = seconds;
  std::tm tm{};
  gmtime_r(&time, &tm);
  return {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, rest};
}

std::string rfc3339_ns(std::int64_t wall_ns) {
  const UtcTime t = utc(wall_ns);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", t.year, t.month, t.day, t.hour, t.minute,
                     t.second, t.nanosecond);
}

}  // namespace mikroscope::sinks
