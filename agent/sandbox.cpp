#include "agent/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// What the loop, the sources and the C library's wrappers of them call; each where this architecture has it.
constexpr std::uint32_t kAllowed[] = {
    SYS_read,
    SYS_pread64,
    SYS_write,
    SYS_close,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    SYS_accept4,
    SYS_recvfrom,
    SYS_sendto,
#ifdef SYS_recv
    SYS_recv,
#endif
#ifdef SYS_send
    SYS_send,
#endif
    SYS_setsockopt,
    SYS_shutdown,
#ifdef SYS_clock_gettime
    SYS_clock_gettime,
#endif
#ifdef SYS_clock_gettime32  // musl's name for the 32-bit one
    SYS_clock_gettime32,
#endif
#ifdef SYS_clock_gettime64
    SYS_clock_gettime64,
#endif
    SYS_lseek,
#ifdef SYS__llseek
    SYS__llseek,
#endif
    SYS_getdents64,
    SYS_madvise,
    SYS_restart_syscall,
    SYS_rt_sigreturn,
    SYS_exit,
    SYS_exit_group,
};

// Flags with which a file could be changed. An open that has none of them only reads.
constexpr std::uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;

struct Program {
  sock_filter code[2 * std::size(kAllowed) + 24] = {};
  unsigned short size = 0;
  void add(std::uint16_t op, std::uint32_t k, std::uint8_t yes = 0, std::uint8_t no = 0) {
    code[size++] = {op, yes, no, k};
  }
  void load(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void give(std::uint32_t action) { add(BPF_RET | BPF_K, action); }
};

constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);

// `flags` is an int: on these little-endian machines the low word of the argument.
void allow_reading_open(Program& p, std::uint32_t call, std::uint32_t argument) {
  const auto flags =
      static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
  p.add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
  p.load(flags);
  p.add(BPF_JMP | BPF_JSET | BPF_K, kWriting, 0, 1);
  p.give(kDeny);
  p.give(SECCOMP_RET_ALLOW);
}

Program make_program() {
  Program p;
  p.load(offsetof(seccomp_data, arch));
  p.add(BPF_JMP | BPF_JEQ | BPF_K, kArch, 1, 0);
  p.give(kDeny);
  p.load(offsetof(seccomp_data, nr));
  for (const std::uint32_t call : kAllowed) {
    p.add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    p.give(SECCOMP_RET_ALLOW);
  }
  allow_reading_open(p, SYS_openat, 2);
#ifdef SYS_open
  p.load(offsetof(seccomp_data, nr));
  allow_reading_open(p, SYS_open, 1);
#endif
  p.give(kDeny);
  return p;
}

bool drop_capabilities() {
  // The bounding set first: dropping from it needs a capability itself.
  for (int capability = 0; capability < 64; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno == EINVAL) break;
  }
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

bool install_filter() {
  if (kArch == 0) {
    errno = ENOSYS;
    return false;
  }
  Program p = make_program();
  sock_fprog program{p.size, p.code};
#ifdef SYS_seccomp
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &program) == 0) return true;
#endif
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

void note(base::Writer& report, std::string_view what, bool done, int error) {
  if (report.size() != 0) report.put(", ");
  report.put(what);
  if (done) return;
  report.put(" refused (errno ");
  report.i64(error);
  report.put(')');
}

}  // namespace

SandboxResult enter_sandbox(base::Writer& report) {
  SandboxResult result;
  result.capabilities_dropped = drop_capabilities();
  note(report, "no capabilities", result.capabilities_dropped, errno);
  result.no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  note(report, "no new privileges", result.no_new_privileges, errno);
  result.seccomp = install_filter();
  note(report, "seccomp", result.seccomp, errno);
  return result;
}

}  // namespace mikroscope::agent
