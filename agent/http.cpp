#include "agent/http.h"

#include "agent/config.h"
#include "base/names.h"
#include "base/text.h"

namespace mikroscope::agent {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

bool is_token_char(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c)) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Bytes of the head with its empty line; 0 where that has not come yet.
std::size_t head_size(std::string_view data) {
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = data.find('\n', at);
    if (end == std::string_view::npos) return 0;
    const std::size_t next = end + 1;
    if (next < data.size() && data[next] == '\n') return next + 1;
    if (next + 1 < data.size() && data[next] == '\r' && data[next + 1] == '\n') return next + 2;
    at = next;
  }
}

std::uint16_t parse_request_line(std::string_view line, Request& out) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first) return 400;
  const std::string_view method = line.substr(0, first);
  std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  for (const char c : method) {
    if (!is_token_char(c)) return 400;
  }
  for (const char c : target) {
    if (c <= ' ' || c == '\x7f') return 400;
  }
  if (version.size() != 8 || !version.starts_with("HTTP/") || !base::is_digit(version[5]) ||
      version[6] != '.' || !base::is_digit(version[7])) {
    return 400;
  }
  if (version[5] != '1') return 505;
  out.http10 = version[7] == '0';
  out.keep_alive = !out.http10;
  out.method = method == "GET"      ? Method::get
               : method == "HEAD"   ? Method::head
               : method == "POST"   ? Method::post
               : method == "DELETE" ? Method::del
                                    : Method::other;
  constexpr std::string_view kScheme = "http://";
  if (target.starts_with(kScheme)) {
    target.remove_prefix(kScheme.size());
    const std::size_t slash = target.find('/');
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  if (target.empty() || (target.front() != '/' && target != "*")) return 400;
  const std::size_t mark = target.find('?');
  out.path = target.substr(0, mark);
  out.query = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  out.query = out.query.substr(0, out.query.find('#'));
  return 0;
}

struct Seen {
  bool host = false;
  bool length = false;
};

std::uint16_t parse_header(std::string_view line, Request& out, Seen& seen) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return 400;  // a folded line has no name: refused too
  const std::string_view name = line.substr(0, colon);
  for (const char c : name) {
    if (!is_token_char(c)) return 400;
  }
  const std::string_view value = base::trim(line.substr(colon + 1));
  if (same_ignoring_case(name, "host")) {
    if (seen.host) return 400;
    seen.host = true;
  } else if (same_ignoring_case(name, "authorization")) {
    if (!out.authorization.empty()) return 400;
    out.authorization = value;
  } else if (same_ignoring_case(name, "accept")) {
    if (out.accept.empty()) out.accept = value;
  } else if (same_ignoring_case(name, "connection")) {
    std::string_view list = value;
    std::string_view item;
    while (next_item(list, item)) {
      if (same_ignoring_case(item, "close")) out.keep_alive = false;
      if (same_ignoring_case(item, "keep-alive") && out.http10) out.keep_alive = true;
    }
  } else if (same_ignoring_case(name, "content-length")) {
    std::uint64_t length = 0;
    if (seen.length || value.empty()) return 400;
    seen.length = true;
    for (const char c : value) {
      if (!base::is_digit(c)) return 400;
    }
    if (!base::parse_u64(value, length) || length != 0) return 413;
  } else if (same_ignoring_case(name, "transfer-encoding")) {
    return 411;
  } else if (same_ignoring_case(name, "expect")) {
    return 417;
  }
  return 0;
}

int hex_digit(char c) {
  if (base::is_digit(c)) return c - '0';
  const char l = lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

// The raw value of `name`; false where there is none.
bool find_value(std::string_view query, std::string_view name, std::string_view& value) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name) continue;
    value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    return true;
  }
  return false;
}

}  // namespace

HeadResult parse_head(std::string_view data, Request& out) {
  out = {};
  std::size_t skipped = 0;
  // Empty lines before a request are what some clients leave behind after a body.
  while (skipped < data.size() && (data[skipped] == '\r' || data[skipped] == '\n')) ++skipped;
  const std::string_view head = data.substr(skipped);
  const std::size_t size = head_size(head);
  if (size == 0) {
    if (data.size() >= kMaxHead) return {true, 431, data.size()};
    return {};
  }
  if (skipped + size > kMaxHead) return {true, 431, skipped + size};
  HeadResult result{true, 0, skipped + size};
  if (head.substr(0, size).find('\0') != std::string_view::npos) {
    result.status = 400;
    return result;
  }
  base::Scanner lines(head.substr(0, size));
  result.status = parse_request_line(lines.line(), out);
  Seen seen;
  while (result.status == 0) {
    const std::string_view line = lines.line();
    if (line.empty()) break;
    result.status = parse_header(line, out, seen);
  }
  if (result.status == 0 && !out.http10 && !seen.host) result.status = 400;
  return result;
}

int query_value(std::string_view query, std::string_view name, char* out, std::size_t capacity,
                std::size_t& size) {
  std::string_view raw;
  size = 0;
  if (!find_value(query, name, raw)) return 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    char c = raw[i] == '+' ? ' ' : raw[i];
    if (c == '%') {
      const int high = i + 2 < raw.size() ? hex_digit(raw[i + 1]) : -1;
      const int low = i + 2 < raw.size() ? hex_digit(raw[i + 2]) : -1;
      if (high < 0 || low < 0) return -1;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (size == capacity) return -1;
    out[size++] = c;
  }
  return 1;
}

int query_number(std::string_view query, std::string_view name, std::uint64_t low, std::uint64_t high,
                 std::uint64_t& out) {
  std::string_view raw;
  if (!find_value(query, name, raw)) return 0;
  for (const char c : raw) {
    if (!base::is_digit(c)) return -1;
  }
  std::uint64_t value = 0;
  if (!base::parse_u64(raw, value) || value < low || value > high) return -1;
  out = value;
  return 1;
}

bool token_matches(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kBearer = "bearer ";
  if (authorization.size() < kBearer.size() ||
      !same_ignoring_case(authorization.substr(0, kBearer.size()), kBearer)) {
    return false;
  }
  const std::string_view given = base::trim(authorization.substr(kBearer.size()));
  if (token.empty()) return false;
  // Every byte of what was given is looked at; volatile keeps the compiler from leaving early.
  volatile unsigned char different = given.size() != token.size() ? 1 : 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    different = static_cast<unsigned char>(
        different | static_cast<unsigned char>(static_cast<unsigned char>(given[i]) ^
                                               static_cast<unsigned char>(token[i % token.size()])));
  }
  return different == 0;
}

bool accepts(std::string_view accept, std::string_view media_type) {
  std::string_view item;
  while (next_item(accept, item)) {
    if (same_ignoring_case(base::trim(item.substr(0, item.find(';'))), media_type)) return true;
  }
  return false;
}

std::string_view reason_phrase(std::uint16_t status) {
  static constexpr std::uint16_t kStatuses[] = {200, 204, 400, 401, 404, 405, 408,
                                                409, 411, 413, 417, 431, 503, 505};
  static constexpr char kPhrases[] =
      "OK\0No Content\0Bad Request\0Unauthorized\0Not Found\0Method Not Allowed\0Request Timeout\0Conflict\0"
      "Length Required\0Content Too Large\0Expectation Failed\0Request Header Fields Too Large\0"
      "Service Unavailable\0HTTP Version Not Supported\0Internal Server Error\0";
  static_assert(base::name_count(kPhrases) == std::size(kStatuses) + 1);
  std::size_t i = 0;
  while (i < std::size(kStatuses) && kStatuses[i] != status) ++i;
  return base::name_at(kPhrases, i);
}

}  // namespace mikroscope::agent
