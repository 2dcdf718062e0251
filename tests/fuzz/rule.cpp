// Rules of the user: any text is a rule or an error of one line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sinks/detections/rule_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope;
  const auto rule = sinks::parse_rule({reinterpret_cast<const char*>(data), size}, {});
  if (!rule.ok() && (rule.error().what.empty() || rule.error().what.find('\n') != std::string::npos))
    __builtin_trap();
  return 0;
}
