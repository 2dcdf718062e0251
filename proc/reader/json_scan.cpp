#include "proc/reader/json_scan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace mikroscope::proc {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool hex4(const char* p, const char* end, std::uint32_t& out) {
  if (end - p < 4) return false;
  std::uint64_t value = 0;
  base::Scanner s(std::string_view(p, 4));
  if (base::is_space(*p) || !s.hex(value) || !s.done()) return false;
  out = static_cast<std::uint32_t>(value);
  return true;
}

}  // namespace

std::int64_t JsonValue::scaled(int wanted) const {
  std::int64_t value = number;
  for (int d = decimals; d < wanted; ++d) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value)) return number < 0 ? INT64_MIN : INT64_MAX;
  }
  for (int d = wanted; d < decimals; ++d) value /= 10;
  return value;
}

bool JsonScan::consume(char c) {
  while (p_ != end_ && (base::is_space(*p_) || *p_ == '\r')) ++p_;
  if (p_ == end_ || *p_ != c) return false;
  ++p_;
  return true;
}

bool JsonScan::string(std::string& out) {
  out.clear();
  if (!consume('"')) return false;
  while (p_ != end_) {
    const char c = *p_++;
    if (c == '"') return true;
    if (c != '\\') {
      out += c;
      continue;
    }
    if (p_ == end_) return false;
    const char e = *p_++;
    switch (e) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        std::uint32_t code = 0;
        if (!hex4(p_, end_, code)) return false;
        p_ += 4;
        std::uint32_t low = 0;
        if (code >= 0xD800 && code < 0xDC00 && end_ - p_ >= 6 && p_[0] == '\\' && p_[1] == 'u' &&
            hex4(p_ + 2, end_, low) && low >= 0xDC00 && low < 0xE000) {
          code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
          p_ += 6;
        } else if (code >= 0xD800 && code < 0xE000) {
          code = 0xFFFD;
        }
        append_utf8(out, code);
        break;
      }
      default:
        out += e;
    }
  }
  return false;
}

bool JsonScan::scalar(JsonValue& out) {
  out = {};
  while (p_ != end_ && base::is_space(*p_)) ++p_;
  if (p_ == end_) return false;
  if (*p_ == '"') {
    out.is_text = true;
    return string(out.text);
  }
  base::Scanner s(std::string_view(p_, static_cast<std::size_t>(end_ - p_)));
  const auto take = [&](std::string_view word) {
    if (!s.consume(word)) return false;
    p_ += word.size();
    return true;
  };
  if (take("null")) {
    out.is_null = true;
    return true;
  }
  if (take("true")) {
    out.number = 1;
    return true;
  }
  if (take("false")) return true;
  const bool negative = *p_ == '-';
  const char* q = p_ + (negative ? 1 : 0);
  const char* const first = q;
  std::uint64_t value = 0;
  bool point = false;
  for (; q != end_ && (base::is_digit(*q) || (*q == '.' && !point)); ++q) {
    if (*q == '.') {
      point = true;
      continue;
    }
    if (value > (static_cast<std::uint64_t>(INT64_MAX) - 9) / 10) {
      if (!point) return false;
      continue;  // digits after the point beyond what 64 bits hold
    }
    value = value * 10 + static_cast<std::uint64_t>(*q - '0');
    if (point) ++out.decimals;
  }
  if (q == first || (q != end_ && (*q == 'e' || *q == 'E'))) return false;
  out.number = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  p_ = q;
  return true;
}

std::string_view JsonScan::skip_value() {
  while (p_ != end_ && base::is_space(*p_)) ++p_;
  const char* const start = p_;
  int depth = 0;
  bool quoted = false;
  for (; p_ != end_; ++p_) {
    const char c = *p_;
    if (quoted) {
      if (c == '\\' && p_ + 1 != end_) {
        ++p_;
      } else if (c == '"') {
        quoted = false;
        if (depth == 0) {
          ++p_;
          break;
        }
      }
      continue;
    }
    if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth == 0) break;  // the end of what contains a bare number
      if (--depth == 0) {
        ++p_;
        break;
      }
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  if (depth != 0 || quoted) return {};
  return {start, static_cast<std::size_t>(p_ - start)};
}

void read_intervals(std::string_view object,
                    const std::function<void(std::string_view, std::int64_t)>& visit) {
  JsonScan in(object);
  if (!in.consume('{')) return;
  std::string name;
  JsonValue value;
  do {
    if (!in.string(name) || !in.consume(':') || !in.scalar(value)) return;
    if (!value.is_text && !value.is_null) visit(name, value.scaled(0));
  } while (in.consume(','));
}

void read_odd(std::string_view array, const Layout& layout, std::vector<OddCell>& out) {
  const auto parsed = nlohmann::json::parse(array, nullptr, false);
  if (!parsed.is_array()) return;
  for (const auto& entry : parsed) {
    if (!entry.is_object() || !entry.contains("table") || !entry.contains("column") ||
        !entry["table"].is_string() || !entry["column"].is_string()) {
      continue;
    }
    const int table = layout.find(entry["table"].get_ref<const std::string&>());
    if (table < 0) continue;
    const Table& t = layout.tables[table];
    const int column = t.schema->column(entry["column"].get_ref<const std::string&>());
    if (column < 0) continue;
    const std::string kind =
        entry.contains("kind") && entry["kind"].is_string() ? entry["kind"].get<std::string>() : "";
    OddCell cell{static_cast<std::uint32_t>(table), 0, static_cast<std::uint32_t>(column),
                 kind == "wrap"       ? DeltaKind::wrap
                 : kind == "backward" ? DeltaKind::backward
                                      : DeltaKind::reset};
    const auto matches = [&](std::uint32_t row) {
      for (std::size_t k = 0; k < t.schema->keys.size(); ++k) {
        const KeyColumn& key = t.schema->keys[k];
        if (key.label) continue;
        const auto it = entry.find(std::string(key.name));
        if (it == entry.end()) return false;
        const KeyPart part = t.keys[row].part[k];
        if (key.text ? !it->is_string() || it->get_ref<const std::string&>() != (*layout.texts)[part]
                     : !it->is_number_integer() || it->get<std::int64_t>() != part) {
          return false;
        }
      }
      return true;
    };
    for (cell.row = t.rows; cell.row-- > 0;) {
      if (!matches(cell.row)) continue;
      out.push_back(cell);
      break;
    }
  }
}

void read_names(std::string_view line,
                const std::function<void(std::string_view, std::string_view, const JsonMembers&)>& visit) {
  JsonScan in(line);
  std::string name;
  if (!in.consume('{') || !in.string(name) || !in.consume(':') || !in.consume('{')) return;
  do {
    std::string table;
    if (!in.string(table) || !in.consume(':')) return;
    const std::string_view rows = in.skip_value();
    JsonScan row(rows);
    if (!row.consume('[')) return;
    do {
      JsonMembers keys;
      std::string key;
      JsonValue value;
      if (!row.consume('{')) break;
      do {
        if (!row.string(key) || !row.consume(':') || !row.scalar(value)) return;
        keys.emplace_back(std::move(key), std::move(value));
      } while (row.consume(','));
      if (!row.consume('}')) return;
      visit(table, rows, keys);
    } while (row.consume(','));
  } while (in.consume(','));
}

}  // namespace mikroscope::proc
