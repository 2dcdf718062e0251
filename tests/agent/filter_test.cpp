// The system call filter of this build, interpreted with this machine's own numbers. Those of the router
// builds are looked at in tests/agents.

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <sys/syscall.h>

#include "agent/seccomp_filter.h"
#include "tests/support/bpf.h"

namespace mikroscope::agent {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArch = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArch = AUDIT_ARCH_ARM;
#endif

unsigned verdict(int number, unsigned long long second = 0, unsigned long long third = 0) {
  return test::run_filter({kSeccompFilter.code, kSeccompFilter.size}, {kArch, number, {0, second, third}})
      .value_or(0);
}

TEST(Filter, CountersOfANewCpuMayBeOpened) {
  EXPECT_EQ(verdict(SYS_perf_event_open), SECCOMP_RET_ALLOW);
}

TEST(Filter, NothingCanBeWrittenStartedOrConnected) {
  for (const int number : {SYS_execve, SYS_socket, SYS_connect, SYS_clone, SYS_mmap, SYS_ptrace, SYS_kill,
                           SYS_unlinkat, SYS_mount, SYS_prctl, SYS_openat2}) {
    EXPECT_EQ(verdict(number), SECCOMP_RET_ERRNO | EPERM) << number;
  }
  EXPECT_EQ(verdict(SYS_openat, 0, O_RDONLY | O_CLOEXEC), SECCOMP_RET_ALLOW);
  EXPECT_EQ(verdict(SYS_openat, 0, O_RDONLY | O_DIRECTORY), SECCOMP_RET_ALLOW);
  EXPECT_EQ(verdict(SYS_openat, 0, O_RDWR), SECCOMP_RET_ERRNO | EPERM);
  EXPECT_EQ(verdict(SYS_openat, 0, O_RDONLY | O_CREAT), SECCOMP_RET_ERRNO | EPERM);
}

TEST(Filter, AnotherArchitectureIsRefused) {
  EXPECT_EQ(test::run_filter({kSeccompFilter.code, kSeccompFilter.size}, {AUDIT_ARCH_PPC64LE, SYS_read, {}}),
            SECCOMP_RET_ERRNO | EPERM);
}

}  // namespace
}  // namespace mikroscope::agent
