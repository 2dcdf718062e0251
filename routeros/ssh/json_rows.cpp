#include "routeros/ssh/json_rows.h"

#include <cstdint>
#include <string>
#include <utility>

namespace mikroscope::routeros {
namespace {

constexpr int kMaxDepth = 16;

// What a value is in a row: its text, or nothing.
using Text = std::optional<std::string>;

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&out](std::uint32_t octet) { out += static_cast<char>(octet); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// A string that looked like a number comes as one with six decimals.
std::string tidy_number(std::string_view digits) {
  const std::size_t dot = digits.find('.');
  if (dot != std::string_view::npos && digits.find_first_of("eE") == std::string_view::npos) {
    while (digits.back() == '0') digits.remove_suffix(1);
    if (digits.back() == '.') digits.remove_suffix(1);
  }
  return std::string(digits);
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }

  bool rows(std::vector<Row>& out) {
    skip_blanks();
    if (peek() == '{') return row(out);
    if (peek() == '[' && array_of_objects()) return row_array(out);
    Text value;
    if (!read_value(value, 0)) return false;
    Row row;
    if (value) row.put("ret", std::move(*value));
    out.push_back(std::move(row));
    return true;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip_blanks();
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n')) ++at_;
  }
  bool array_of_objects() const {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_ + 1);
    return next != std::string_view::npos && text_[next] == '{';
  }

  bool row(std::vector<Row>& out) {
    Row row;
    const bool good = members(0, [&row](std::string name, Text value) {
      if (value) row.put(std::move(name), std::move(*value));
    });
    if (good) out.push_back(std::move(row));
    return good;
  }

  bool row_array(std::vector<Row>& out) {
    if (!take('[')) return false;
    do {
      skip_blanks();
      if (peek() != '{' || !row(out)) return false;
    } while (take(','));
    return take(']');
  }

  template <class Each>
  bool members(int depth, Each each) {
    if (depth > kMaxDepth || !take('{')) return false;
    if (take('}')) return true;
    do {
      std::string name;
      Text value;
      skip_blanks();
      if (!read_string(name) || !take(':') || !read_value(value, depth + 1)) return false;
      each(std::move(name), std::move(value));
    } while (take(','));
    return take('}');
  }

  bool read_value(Text& out, int depth) {
    if (depth > kMaxDepth) return false;
    skip_blanks();
    switch (peek()) {
      case '"':
        return read_string(out.emplace());
      case '[':
        return read_array(out, depth);
      case '{': {
        std::string joined;
        const bool good = members(depth, [&joined](const std::string& name, const Text& value) {
          if (!joined.empty()) joined += ',';
          joined += name;
          joined += '=';
          joined += value.value_or("");
        });
        out = std::move(joined);
        return good;
      }
      default:
        return read_word(out);
    }
  }

  bool read_array(Text& out, int depth) {
    if (!take('[')) return false;
    if (take(']')) {
      out.reset();
      return true;
    }
    std::string joined;
    bool first = true;
    do {
      Text item;
      if (!read_value(item, depth + 1)) return false;
      if (!first) joined += ',';
      first = false;
      joined += item.value_or("");
    } while (take(','));
    out = std::move(joined);
    return take(']');
  }

  // true, false, null or a number
  bool read_word(Text& out) {
    const std::size_t end = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "null") {
      out.reset();
    } else if (word == "true" || word == "false") {
      out = std::string(word);
    } else if (!word.empty() && word.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
               word.find_first_of("0123456789") != std::string_view::npos) {
      out = tidy_number(word);
    } else {
      return false;
    }
    return true;
  }

  bool read_string(std::string& out) {
    if (peek() != '"') return false;
    ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') {
        // The console ends every line with CR LF, those inside a value too.
        if (c != '\r' || peek() != '\n') out += c;
        continue;
      }
      if (at_ >= text_.size() || !read_escape(out)) return false;
    }
    return false;
  }

  bool read_escape(std::string& out) {
    const char c = text_[at_++];
    switch (c) {
      case 'b':
        out += '\b';
        return true;
      case 'f':
        out += '\f';
        return true;
      case 'n':
        out += '\n';
        return true;
      case 'r':
        out += '\r';
        return true;
      case 't':
        out += '\t';
        return true;
      case '"':
      case '\\':
      case '/':
        out += c;
        return true;
      case 'u':
        return read_code(out);
      default:
        return false;
    }
  }

  bool read_code(std::string& out) {
    std::uint32_t code = 0;
    if (!read_hex(code)) return false;
    if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const std::size_t back = at_;
      std::uint32_t low = 0;
      at_ += 2;
      if (!read_hex(low)) return false;
      if (low >= 0xDC00 && low < 0xE000) {
        append_utf8(out, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
        return true;
      }
      at_ = back;
    }
    append_utf8(out, code >= 0xD800 && code < 0xE000 ? 0xFFFD : code);
    return true;
  }

  bool read_hex(std::uint32_t& code) {
    if (text_.size() - at_ < 4) return false;
    for (int i = 0; i < 4; ++i) {
      const char c = text_[at_++];
      std::uint32_t digit = 0;
      if (c >= '0' && c <= '9') {
        digit = static_cast<std::uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        digit = static_cast<std::uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        digit = static_cast<std::uint32_t>(c - 'A' + 10);
      } else {
        return false;
      }
      code = code << 4 | digit;
    }
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<JsonRows> parse_json_rows(std::string_view text) {
  JsonRows out;
  Reader reader(text);
  if (!reader.rows(out.rows)) return std::nullopt;
  out.used = reader.at();
  return out;
}

}  // namespace mikroscope::routeros
