#include "proc/sources/kmsg_record.h"

#include <algorithm>

#include "base/names.h"
#include "base/text.h"

namespace mikroscope::proc {
namespace {

constexpr std::uint64_t kMaxMicroseconds = UINT64_MAX / 2000;  // fits a signed number of nanoseconds

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
bool in_word(char c) {
  return is_letter(c) || base::is_digit(c) || c == '_' || c == '-' || c == '.';
}

// Whether `text` holds `words` (lower case) in any case, not as part of longer words.
bool says(std::string_view text, std::string_view words) {
  for (std::size_t at = 0; at + words.size() <= text.size(); ++at) {
    std::size_t same = 0;
    while (same < words.size() && lower(text[at + same]) == words[same]) ++same;
    if (same < words.size()) continue;
    const std::size_t end = at + words.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

// Names that kernels, systemd and RouterOS give to interfaces: a known stem, then a number, then anything.
bool is_interface(std::string_view word) {
  const char* numbered =
      "eth\0ether\0switch\0lan\0wan\0br\0bridge\0bond\0wlan\0wifi\0ppp\0wg\0tun\0tap\0veth\0vlan\0team\0wwan"
      "\0lte\0can\0"
      "sfp\0combo\0dsa\0";
  const char* any_tail = "enp\0eno\0ens\0enx\0wlp\0wlo\0wlx\0qsfp\0sfp-sfpplus\0";
  std::string_view stem;
  while (stem = base::next_name(numbered), !stem.empty()) {
    if (word.starts_with(stem) && word.size() > stem.size() && base::is_digit(word[stem.size()])) return true;
  }
  while (stem = base::next_name(any_tail), !stem.empty()) {
    if (word.starts_with(stem) && std::any_of(word.begin(), word.end(), base::is_digit)) return true;
  }
  return false;
}

// The run of word characters that starts `text`, without punctuation at its end.
std::string_view leading_word(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && in_word(text[size])) ++size;
  while (size > 0 && (text[size - 1] == '.' || text[size - 1] == '-')) --size;
  return text.substr(0, size);
}

std::string_view first_interface(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view word = leading_word(text.substr(at));
    if (is_interface(word)) return word;
    at += word.empty() ? 1 : word.size();
  }
  return {};
}

// What follows `mark` in `text`; empty where it does not stand there.
std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

// br0: port 2(eth1) entered blocking state
bool bridge_port(std::string_view message, KmsgMeaning& out) {
  struct State {
    std::string_view word;
    std::string_view kind;
  };
  constexpr State kStates[] = {{"disabled", "stp-disabled"},
                               {"blocking", "stp-blocking"},
                               {"listening", "stp-listening"},
                               {"learning", "stp-learning"},
                               {"forwarding", "stp-forwarding"}};
  base::Scanner port(after(message, "port "));
  std::uint64_t number = 0;
  std::string_view name;
  if (!port.u64(number) || !port.consume('(') || !port.until(')', name) || !port.consume(" entered "))
    return false;
  const std::string_view state = port.word();
  for (const State& known : kStates) {
    if (known.word != state || name.empty()) continue;
    out = {name, known.kind};
    return true;
  }
  return false;
}

}  // namespace

bool parse_kmsg(std::string_view line, KmsgRecord& out) {
  base::Scanner s(line);
  std::uint64_t priority = 0;
  std::string_view rest;
  if (!base::is_digit(s.peek()) || !s.u64(priority) || priority > UINT32_MAX || !s.consume(',') ||
      !s.u64(out.seq) || !s.consume(',') || !s.u64(out.boot_us) || out.boot_us > kMaxMicroseconds ||
      !s.until(';', rest)) {
    return false;
  }
  out.level = static_cast<std::uint32_t>(priority & 7);
  out.facility = static_cast<std::uint32_t>(priority >> 3);
  out.message = s.rest();
  return rest.empty() || rest.front() == ',';
}

std::size_t unescape_kmsg(char* text, std::size_t size) {
  std::size_t out = 0;
  for (std::size_t in = 0; in < size;) {
    std::uint64_t byte = 0;
    if (text[in] == '\\' && size - in >= 4 && text[in + 1] == 'x') {
      base::Scanner digits(std::string_view(text + in + 2, 2));
      if (digits.peek() != ' ' && digits.hex(byte) && digits.done()) {
        text[out++] = static_cast<char>(byte);
        in += 4;
        continue;
      }
    }
    text[out++] = text[in++];
  }
  return out;
}

KmsgMeaning classify_kmsg(std::string_view message) {
  KmsgMeaning meaning;
  if (bridge_port(message, meaning)) return meaning;
  if (message.find("with own address as source address") != std::string_view::npos) {
    const std::string_view name = leading_word(after(message, "received packet on "));
    if (!name.empty()) return {name, "own-address"};
  }
  const std::string_view name = first_interface(message);
  if (name.empty()) return {};
  const std::string_view text = message.substr(static_cast<std::size_t>(name.data() - message.data()));
  if (says(text, "link up") || says(text, "link is up")) return {name, "link-up"};
  if (says(text, "link down") || says(text, "link is down")) return {name, "link-down"};
  return {name, "other"};
}

}  // namespace mikroscope::proc
