// Blocks and shapes of the spool and of messages: whatever the bytes are, reading ends with events or an
// error, and what could be read is written to bytes that read as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/block.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope::model;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto events = decode_message(bytes);
  if (events.ok() && !events->empty()) {
    const auto again = decode_message(encode_message(*events));
    if (!again.ok() || again->size() != events->size()) __builtin_trap();
  }
  const auto shape = Shape::parse(bytes);
  if (shape.ok()) {
    const auto again = Shape::parse((*shape)->bytes());
    if (!again.ok() || (*again)->id() != (*shape)->id()) __builtin_trap();
  }
  return 0;
}
