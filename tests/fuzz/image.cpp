// Image files from outside: any bytes are an image or are refused with a reason.
#include "routeros/image.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto info = mikroscope::routeros::inspect_image({reinterpret_cast<const char*>(data), size});
  if (!info && info.error().what.empty()) __builtin_trap();
  return 0;
}
