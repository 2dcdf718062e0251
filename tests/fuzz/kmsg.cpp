// Records of the kernel log: taken apart, unescaped, classified.
#include <cstddef>
#include <cstdint>
#include <string>

#include "proc/sources/kmsg_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mikroscope::proc;
  const std::string line(reinterpret_cast<const char*>(data), size);
  KmsgRecord record;
  std::string text = line;
  if (parse_kmsg(line, record)) {
    if (record.level > 7 || record.boot_us > UINT64_MAX / 1000) __builtin_trap();
    text = std::string(record.message);
  }
  const std::size_t length = unescape_kmsg(text.data(), text.size());
  if (length > text.size()) __builtin_trap();
  text.resize(length);
  const KmsgMeaning meaning = classify_kmsg(text);
  if (meaning.interface.empty() != meaning.kind.empty()) __builtin_trap();
  if (text.find(meaning.interface) == std::string::npos) __builtin_trap();
  return 0;
}
