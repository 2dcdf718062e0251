// Values and comments of a router: any text is a value or none, decoded text is UTF-8, and printable text
// holds no control character.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"
#include "routeros/session/text.h"
#include "routeros/session/value.h"
#include "routeros/session/version.h"

namespace {

using namespace mikroscope;
using namespace mikroscope::routeros;

void check_utf8(std::string_view text, bool controls_allowed) {
  while (!text.empty()) {
    const int length = base::utf8_length(text);
    if (length == 0) __builtin_trap();
    const auto first = static_cast<unsigned char>(text[0]);
    const bool c1 = first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (!controls_allowed && (first < 0x20 || first == 0x7F || c1)) __builtin_trap();
    text.remove_prefix(static_cast<std::size_t>(length));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const CodePage page : {CodePage::cp1250, CodePage::cp1251, CodePage::cp1252, CodePage::latin1}) {
    check_utf8(decode_text(text, page), true);
    check_utf8(printable(text, page), false);
  }
  if (const auto count = parse_count(text); count && *count <= INT64_MAX && parse_bytes(text) != count)
    __builtin_trap();
  (void)parse_bool(text);
  (void)parse_time(text);
  for (const std::string_view item : split_list(text)) {
    if (item.empty() || item.find_first_of(",;") != std::string_view::npos) __builtin_trap();
  }
  if (const auto version = parse_version(text); version && parse_version(format_version(*version)) != version)
    __builtin_trap();
  return 0;
}
