#include "agent/seccomp_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <cstdint>
#include <iterator>

namespace mikroscope::agent {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArch = AUDIT_ARCH_AARCH64;
#elif defined(__arm__)
constexpr std::uint32_t kArch = AUDIT_ARCH_ARM;
#else
constexpr std::uint32_t kArch = 0;
#endif

// What the loop, the sources and the C library's wrappers of them call, each where this architecture has it;
// the frequent ones first.
constexpr std::uint32_t kAllowed[] = {
    SYS_pread64,
    SYS_read,
#ifdef SYS_clock_gettime64
    SYS_clock_gettime64,
#endif
#ifdef SYS_clock_gettime
    SYS_clock_gettime,
#endif
#ifdef SYS_clock_gettime32  // musl's name for the 32-bit one
    SYS_clock_gettime32,
#endif
    SYS_epoll_pwait,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    SYS_epoll_ctl,
    SYS_sendto,
    SYS_recvfrom,
#ifdef SYS_send
    SYS_send,
#endif
#ifdef SYS_recv
    SYS_recv,
#endif
    SYS_accept4,
    SYS_close,
    SYS_write,
    SYS_setsockopt,
    SYS_shutdown,
    SYS_lseek,
#ifdef SYS__llseek
    SYS__llseek,
#endif
    SYS_getdents64,
    SYS_madvise,
    SYS_munmap,  // at the end, what it took at start
    // Counters of a CPU that comes online are opened when it is seen. Whether they may be is the kernel's to
    // say, as it was at start.
    SYS_perf_event_open,
    SYS_restart_syscall,
    SYS_rt_sigreturn,
    SYS_exit,
    SYS_exit_group,
};

// Flags with which a file could be changed. An open that has none of them only reads.
constexpr std::uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;

constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);

// Reads a 32-bit word of seccomp_data. Arguments are 64 bits; on these little-endian machines an int is
// their low word.
constexpr sock_filter load(std::size_t offset) {
  return {BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<std::uint32_t>(offset)};
}
constexpr std::size_t argument(std::size_t index) {
  return offsetof(seccomp_data, args) + index * sizeof(std::uint64_t);
}
// Goes on `yes` or `no` instructions further.
constexpr sock_filter when(std::uint16_t op, std::uint32_t k, std::size_t yes, std::size_t no) {
  return {static_cast<std::uint16_t>(BPF_JMP | op | BPF_K), static_cast<std::uint8_t>(yes),
          static_cast<std::uint8_t>(no), k};
}

constexpr SeccompFilter make_filter() {
  SeccompFilter f;
  if (kArch == 0) return f;
#ifdef SYS_open
  constexpr std::size_t kOpens = 2;
#else
  constexpr std::size_t kOpens = 1;
#endif
  // In this order: the architecture, the calls, the opens, the flags of each, deny, allow.
  constexpr std::size_t kOpenAt = 3 + std::size(kAllowed);
  constexpr std::size_t kFlagsAt = kOpenAt + kOpens + 1;
  constexpr std::size_t kDenyAt = kFlagsAt + 2 * kOpens;
  constexpr std::size_t kAllowAt = kDenyAt + 1;
  static_assert(kAllowAt < kMaxFilter);
  const auto put = [&f](const sock_filter& instruction) { f.code[f.size++] = instruction; };
  const auto to = [&f](std::size_t target) { return target - f.size - 1; };
  const auto judge_flags = [&](std::size_t index) {
    put(load(argument(index)));
    put(when(BPF_JSET, kWriting, to(kDenyAt), to(kAllowAt)));
  };
  put(load(offsetof(seccomp_data, arch)));
  put(when(BPF_JEQ, kArch, 0, to(kDenyAt)));
  put(load(offsetof(seccomp_data, nr)));
  for (const std::uint32_t call : kAllowed) put(when(BPF_JEQ, call, to(kAllowAt), 0));
  put(when(BPF_JEQ, SYS_openat, to(kFlagsAt), 0));
#ifdef SYS_open
  put(when(BPF_JEQ, SYS_open, to(kFlagsAt + 2), 0));
#endif
  put({BPF_RET | BPF_K, 0, 0, kDeny});
  judge_flags(2);
#ifdef SYS_open
  judge_flags(1);
#endif
  put({BPF_RET | BPF_K, 0, 0, kDeny});
  put({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW});
  return f;
}

}  // namespace

constinit const SeccompFilter kSeccompFilter = make_filter();

}  // namespace mikroscope::agent
