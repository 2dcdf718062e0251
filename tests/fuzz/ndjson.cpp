// NDJSON from outside (recordings, agents of other versions), read in two pieces.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "proc/reader/derived.h"
#include "proc/reader/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope;
  if (size == 0) return 0;
  const std::string_view all(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t cut = all.empty() ? 0 : data[0] * all.size() / 256;
  proc::NdjsonReader reader;
  const auto drain = [&] {
    while (const auto item = reader.next()) {
      if (const auto* frame = std::get_if<proc::Frame>(&*item)) proc::busy_total(*frame);
    }
  };
  reader.feed_in_place(all.substr(0, cut));
  drain();
  reader.feed_in_place(all.substr(cut));
  reader.finish();
  drain();
  return 0;
}
