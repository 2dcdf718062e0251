#include "routeros/elf.h"

#include <fmt/format.h>

#include <cstdint>

namespace mikroscope::routeros {
namespace {

constexpr std::uint64_t kExecutable = 2;
constexpr std::uint64_t kMachineArm = 40;
constexpr std::uint64_t kMachineX86_64 = 62;
constexpr std::uint64_t kMachineAarch64 = 183;
constexpr std::uint64_t kArmSoftFloat = 0x200;
constexpr std::uint64_t kArmHardFloat = 0x400;
constexpr std::uint64_t kInterpreter = 3;  // program header type PT_INTERP

// A little-endian number; 0 beyond the end.
std::uint64_t number(std::string_view bytes, std::uint64_t at, unsigned size) {
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  std::uint64_t value = 0;
  for (unsigned i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

bool has_interpreter(std::string_view program, bool wide) {
  const std::uint64_t table = wide ? number(program, 32, 8) : number(program, 28, 4);
  const std::uint64_t entry = number(program, wide ? 54 : 42, 2);
  const std::uint64_t count = number(program, wide ? 56 : 44, 2);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (number(program, table + i * entry, 4) == kInterpreter) return true;
  }
  return false;
}

base::Error bad(std::string what) {
  return {"not a usable agent: " + std::move(what), "use an agent that this project built (presets agent-*)"};
}

}  // namespace

base::Result<Arch> program_arch(std::string_view program) {
  if (!program.starts_with("\x7f"
                           "ELF") ||
      program.size() < 64)
    return bad("it is no ELF program");
  if (program[5] != 1) return bad("it is a big-endian program");
  const bool wide = program[4] == 2;
  if (number(program, 16, 2) != kExecutable) return bad("it is no executable with a fixed address");
  if (has_interpreter(program, wide)) return bad("it needs a dynamic loader, which the image does not hold");
  const std::uint64_t machine = number(program, 18, 2);
  if (machine == kMachineAarch64 && wide) return Arch::arm64;
  if (machine == kMachineX86_64 && wide) return Arch::amd64;
  if (machine == kMachineArm && !wide) {
    const std::uint64_t flags = number(program, 36, 4);
    if ((flags & kArmSoftFloat) != 0) return Arch::armv5;
    if ((flags & kArmHardFloat) != 0) return Arch::armv7;
    return bad(fmt::format("its ARM flags {:#x} say neither soft nor hard float", flags));
  }
  return bad(fmt::format("it is for ELF machine {}", machine));
}

}  // namespace mikroscope::routeros
