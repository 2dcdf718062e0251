// Packed streams from outside: any bytes, in two pieces, must be read or refused. With the first bit of the
// input set, the bytes are wrapped into whole records behind a valid head, so that the fuzzer gets past the
// framing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proc/ndjson.h"
#include "proc/reader/derived.h"
#include "proc/reader/reader.h"

namespace {

std::string record(mikroscope::proc::RecordKind kind, std::string_view payload) {
  char head[1 + mikroscope::proc::kMaxVarint];
  const std::size_t n = mikroscope::proc::record_head(kind, payload.size(), head);
  return std::string(head, n).append(payload);
}

std::string wrapped(std::string_view bytes) {
  using mikroscope::proc::RecordKind;
  constexpr RecordKind kKinds[] = {RecordKind::base,  RecordKind::frame, RecordKind::rows,
                                   RecordKind::event, RecordKind::hello, RecordKind::schema};
  // One table with a text and an integer key, a 32-bit counter and a gauge predicted from the row above.
  constexpr std::string_view kSchema = "\1\1t\2\1n\1\3cpu\0\2\1c\5\0\0\1g\2\2\0";
  std::string out = record(RecordKind::hello, std::string_view("\1\1i\1b\144\12\0", 8)) +
                    record(RecordKind::schema, std::string_view(kSchema.data(), 23)) +
                    record(RecordKind::rows, std::string_view("\0\0\2\1\1a\0\1\1b\2", 11));
  while (bytes.size() >= 2) {
    const auto kind = kKinds[static_cast<std::uint8_t>(bytes[0]) % (sizeof kKinds / sizeof *kKinds)];
    const std::size_t length = std::min<std::size_t>(static_cast<std::uint8_t>(bytes[1]), bytes.size() - 2);
    out += record(kind, bytes.substr(2, length));
    bytes.remove_prefix(2 + length);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope;
  if (size == 0) return 0;
  const std::string_view raw(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = (data[0] & 1) != 0 ? wrapped(raw) : std::string(raw);
  const std::string_view all = whole;
  const std::size_t cut = all.empty() ? 0 : data[0] * all.size() / 256;
  proc::PackedReader reader;
  static char line[1 << 16];
  const auto drain = [&] {
    while (const auto item = reader.next()) {
      const auto* frame = std::get_if<proc::Frame>(&*item);
      if (frame == nullptr) continue;
      proc::busy_total(*frame);
      base::Writer out(line, sizeof line);
      proc::write_sample(reader.view(), false, out);
    }
  };
  reader.feed(all.substr(0, cut));
  drain();
  reader.feed(all.substr(cut));
  reader.finish();
  drain();
  return 0;
}
