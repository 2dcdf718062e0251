#include "proc/sources/numbered_entries.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace mikroscope::proc {
namespace {

// The kernel's struct linux_dirent64: ino (8), off (8), reclen (2), type (1), name.
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kNameAt = 19;

// Into the ascending `out[0..count)`; the highest falls out where there is no room.
void insert(std::span<std::uint16_t> out, std::size_t& count, std::uint16_t number) {
  std::size_t at = count;
  while (at > 0 && out[at - 1] > number) --at;
  if (at == out.size()) return;
  if (count == out.size()) --count;
  std::memmove(&out[at] + 1, &out[at], (count - at) * sizeof(std::uint16_t));
  out[at] = number;
  ++count;
}

}  // namespace

std::size_t numbered_entries(const KernelPath& directory, std::string_view prefix,
                             std::span<std::uint16_t> out) {
  const base::Fd listed(open(directory.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECTORY));
  if (!listed || out.empty()) return 0;
  std::size_t count = 0;
  alignas(8) char block[2048];
  for (;;) {
    const long got = syscall(SYS_getdents64, listed.get(), block, sizeof block);
    if (got <= 0) return count;
    for (std::size_t at = 0; at + kNameAt < static_cast<std::size_t>(got);) {
      std::uint16_t length = 0;
      std::memcpy(&length, block + at + kLengthAt, sizeof length);
      if (length <= kNameAt) return count;
      const std::string_view name(block + at + kNameAt);
      std::uint64_t number = 0;
      if (name.starts_with(prefix)) {
        base::Scanner tail(name.substr(prefix.size()));
        if (base::is_digit(tail.peek()) && tail.u64(number) && tail.done() && number <= UINT16_MAX) {
          insert(out, count, static_cast<std::uint16_t>(number));
        }
      }
      at += length;
    }
  }
}

}  // namespace mikroscope::proc
