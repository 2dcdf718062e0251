#include "routeros/session/console.h"

#include <algorithm>

namespace mikroscope::routeros {
namespace {

constexpr char kHex[] = "0123456789ABCDEF";

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool lower(char c) {
  return c >= 'a' && c <= 'z';
}

void append_octet(std::string& out, char c) {
  const auto octet = static_cast<unsigned char>(c);
  out += '\\';
  out += kHex[octet >> 4];
  out += kHex[octet & 15];
}

// Lower-case words and decimal numbers. Anything that the console could take for another type (0x10 is a
// number, 1d a time, 1.2.3.4 an address) is better quoted.
bool stands_bare(std::string_view value) {
  if (value.empty() || value.size() > 64) return false;
  if (std::all_of(value.begin(), value.end(), digit))
    return value.size() <= 18 && (value == "0" || value.front() != '0');
  return lower(value.front()) && lower(value.back()) &&
         std::all_of(value.begin(), value.end(), [](char c) { return lower(c) || c == '-'; });
}

std::string argument(const Attribute& attribute, bool mask_secrets) {
  if (attribute.secret && mask_secrets) return "\"(secret)\"";
  if (console_wants_id(attribute.name) && console_id(attribute.value)) return attribute.value;
  return stands_bare(attribute.value) ? attribute.value : console_value(attribute.value);
}

}  // namespace

bool console_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return lower(c) || digit(c) || c == '.' || c == '/' || c == '-';
  });
}

bool console_id(std::string_view text) {
  return text.size() >= 2 && text.front() == '*' &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return digit(c) || (c >= 'A' && c <= 'F'); });
}

bool console_wants_id(std::string_view name) {
  return name == "numbers" || name == "place-before" || name == "destination";
}

std::string console_value(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    switch (c) {
      case '"':
      case '\\':
      case '$':
        out += '\\';
        out += c;
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        // A question mark asks for help on an interactive console.
        if (c < ' ' || c > '~' || c == '?') {
          append_octet(out, c);
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

std::string console_octets(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (lower(c) || digit(c) || (c >= 'A' && c <= 'Z')) {
      out += c;
    } else {
      append_octet(out, c);
    }
  }
  return out + '"';
}

std::string console_command(std::string_view menu, std::string_view verb, const Attributes& attributes,
                            bool mask_secrets) {
  std::string out(menu);
  if (!verb.empty()) {
    if (!out.ends_with('/')) out += '/';
    out += verb;
  }
  for (const Attribute& attribute : attributes) {
    if (attribute.name != ".id") continue;
    out += ' ';
    out += console_id(attribute.value) ? attribute.value : console_value(attribute.value);
  }
  for (const Attribute& attribute : attributes) {
    if (attribute.name == ".id") continue;
    out += ' ';
    out += attribute.name;
    out += '=';
    out += argument(attribute, mask_secrets);
  }
  return out;
}

std::string console_find(std::string_view menu, const std::vector<Where>& where) {
  std::string out = "[";
  if (!menu.empty()) {
    out += menu;
    out += '/';
  }
  out += "find";
  for (const Where& w : where) {
    out += ' ';
    out += w.name;
    out += '=';
    out += console_value(w.value);
  }
  return out + ']';
}

}  // namespace mikroscope::routeros
