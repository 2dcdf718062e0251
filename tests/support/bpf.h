// The part of classic BPF that a system call filter uses, interpreted: so a filter for any architecture can
// be asked what it would do.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstring>
#include <optional>
#include <span>

namespace mikroscope::test {

struct SyscallAttempt {
  unsigned arch = 0;
  int number = 0;
  unsigned long long args[6] = {};
};

// What the program returns for this call; nothing where it is no valid program (a jump or a load outside, an
// operation that is not known here, no end).
inline std::optional<unsigned> run_filter(std::span<const sock_filter> program, const SyscallAttempt& call) {
  seccomp_data data{};
  data.nr = call.number;
  data.arch = call.arch;
  for (int i = 0; i < 6; ++i) data.args[i] = call.args[i];
  unsigned accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {  // jumps only go forward
    const sock_filter& f = program[at];
    switch (f.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (f.k % 4 != 0 || f.k + 4 > sizeof data) return std::nullopt;
        std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + f.k, 4);
        break;
      case BPF_JMP | BPF_JEQ | BPF_K:
        at += accumulator == f.k ? f.jt : f.jf;
        break;
      case BPF_JMP | BPF_JSET | BPF_K:
        at += (accumulator & f.k) != 0 ? f.jt : f.jf;
        break;
      case BPF_RET | BPF_K:
        return f.k;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace mikroscope::test
