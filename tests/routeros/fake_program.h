// The smallest thing that passes for a static program of an architecture: an ELF header and a few bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "routeros/image.h"

namespace mikroscope::routeros {

struct FakeElf {
  char elf_class;         // 1: 32 bits, 2: 64 bits
  unsigned char machine;  // e_machine
  unsigned flags = 0;     // e_flags, where 32 bits
};

inline std::string fake_program(FakeElf elf) {
  std::string bytes(64, '\0');
  bytes.replace(0, 4,
                "\x7f"
                "ELF");
  bytes[4] = elf.elf_class;
  bytes[5] = 1;   // little-endian
  bytes[16] = 2;  // ET_EXEC
  bytes[18] = static_cast<char>(elf.machine);
  if (elf.elf_class == 1) {
    bytes[36] = static_cast<char>(elf.flags & 0xff);
    bytes[37] = static_cast<char>(elf.flags >> 8 & 0xff);
  }
  return bytes + "the rest of the program";
}

inline std::string fake_program(Arch arch) {
  switch (arch) {
    case Arch::arm64:
      return fake_program(FakeElf{2, 183});
    case Arch::armv5:
      return fake_program(FakeElf{1, 40, 0x200});
    case Arch::armv7:
      return fake_program(FakeElf{1, 40, 0x400});
    case Arch::amd64:
      return fake_program(FakeElf{2, 62});
  }
  return {};
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace mikroscope::routeros
