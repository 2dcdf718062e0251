// The system call filter inside each router agent. The emulator that runs the agents here takes filters as
// accepted and does not apply them, so the program is taken out of the binary and interpreted, against the
// numbers of that architecture.

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "base/host/files.h"
#include "process.h"
#include "tests/support/bpf.h"

namespace mikroscope::agents_test {
namespace {

constexpr unsigned kDenied = SECCOMP_RET_ERRNO | EPERM;

struct Expected {
  const char* agent;
  unsigned arch;  // AUDIT_ARCH_*
  int openat;
  int open;  // -1: the architecture has none
  std::vector<int> allowed;
  std::vector<int> denied;
};

// From the kernel's tables of system calls.
const Expected kExpected[] = {
    {"amd64",
     0xC000003E,
     257,
     2,
     // read write close lseek pread64 madvise sendto recvfrom shutdown setsockopt exit getdents64
     // clock_gettime exit_group epoll_ctl epoll_pwait accept4 perf_event_open
     {0, 1, 3, 8, 17, 28, 44, 45, 48, 54, 60, 217, 228, 231, 233, 281, 288, 298},
     // mmap socket connect bind clone fork execve kill unlink ptrace mount init_module, x32's read
     {9, 41, 42, 49, 56, 57, 59, 62, 87, 101, 165, 175, 0x40000000}},
    {"arm64",
     0xC00000B7,
     56,
     -1,
     // epoll_ctl epoll_pwait close getdents64 lseek read write pread64 exit exit_group clock_gettime
     // setsockopt sendto recvfrom shutdown madvise perf_event_open accept4
     {21, 22, 57, 61, 62, 63, 64, 67, 93, 94, 113, 208, 206, 207, 210, 233, 241, 242},
     // unlinkat mount ptrace kill socket bind connect clone execve mmap init_module; read and open of ARM
     {35, 40, 117, 129, 198, 200, 203, 220, 221, 222, 105, 3, 5}},
    {"armv7",
     0x40000028,
     322,
     5,
     // exit read write close lseek _llseek pread64 getdents64 madvise exit_group epoll_ctl epoll_pwait
     // clock_gettime (32 and 64 bits) send sendto recv recvfrom shutdown setsockopt accept4 perf_event_open
     {1, 3, 4, 6, 19, 140, 180, 217, 220, 248, 251, 346, 263, 403, 289, 290, 291, 292, 293, 294, 366, 364},
     // fork unlink execve mount ptrace kill clone init_module mmap2 socket bind connect
     {2, 10, 11, 21, 26, 37, 120, 128, 192, 281, 282, 283}},
    {"armv5",
     0x40000028,
     322,
     5,
     {1, 3, 4, 6, 19, 140, 180, 217, 220, 248, 251, 346, 263, 403, 289, 290, 291, 292, 293, 294, 366, 364},
     {2, 10, 11, 21, 26, 37, 120, 128, 192, 281, 282, 283}},
};

// The program starts with loading and testing the architecture and ends with the only ALLOW.
std::vector<sock_filter> filter_of(const std::string& binary, unsigned arch) {
  const auto instruction = [&binary](std::size_t at) {
    sock_filter f{};
    std::memcpy(&f, binary.data() + at, sizeof f);
    return f;
  };
  std::vector<sock_filter> program;
  for (std::size_t at = 0; at + 64 * sizeof(sock_filter) <= binary.size(); at += 4) {
    const sock_filter load = instruction(at);
    const sock_filter test = instruction(at + sizeof load);
    if (load.code != (BPF_LD | BPF_W | BPF_ABS) || load.k != 4 || load.jt != 0) continue;
    if (test.code != (BPF_JMP | BPF_JEQ | BPF_K) || test.k != arch) continue;
    for (std::size_t i = 0; i < 64; ++i) {
      program.push_back(instruction(at + i * sizeof load));
      if (program.back().code == (BPF_RET | BPF_K) && program.back().k == SECCOMP_RET_ALLOW) return program;
    }
    program.clear();
  }
  return program;
}

class Filter : public testing::TestWithParam<Expected> {};

TEST_P(Filter, AllowsWhatTheAgentCallsAndNothingElse) {
  const Expected& e = GetParam();
  if (::access(agent_path(e.agent).c_str(), X_OK) != 0)
    GTEST_SKIP() << "no " << e.agent << " agent in this build";
  const auto binary = base::read_text(agent_path(e.agent));
  ASSERT_TRUE(binary) << binary.error().what;
  const std::vector<sock_filter> program = filter_of(*binary, e.arch);
  ASSERT_FALSE(program.empty()) << "no filter for this architecture in the binary";
  for (const int number : e.allowed)
    EXPECT_EQ(test::run_filter(program, {e.arch, number, {}}), SECCOMP_RET_ALLOW) << number;
  for (const int number : e.denied)
    EXPECT_EQ(test::run_filter(program, {e.arch, number, {}}), kDenied) << number;
  // Every number that this architecture may ever have: what is allowed is a short list.
  unsigned allowed = 0;
  for (int number = 0; number < 1024; ++number) {
    const auto action = test::run_filter(program, {e.arch, number, {}});
    ASSERT_TRUE(action.has_value()) << number;
    allowed += *action == SECCOMP_RET_ALLOW ? 1 : 0;
  }
  EXPECT_LE(allowed, 32u);
}

TEST_P(Filter, OpensOnlyForReading) {
  const Expected& e = GetParam();
  if (::access(agent_path(e.agent).c_str(), X_OK) != 0)
    GTEST_SKIP() << "no " << e.agent << " agent in this build";
  const auto binary = base::read_text(agent_path(e.agent));
  ASSERT_TRUE(binary) << binary.error().what;
  const std::vector<sock_filter> program = filter_of(*binary, e.arch);
  // O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND: the same numbers on these four.
  for (const unsigned long long flag : {01ull, 02ull, 0100ull, 01000ull, 02000ull}) {
    EXPECT_EQ(test::run_filter(program, {e.arch, e.openat, {0, 0, flag}}), kDenied) << flag;
    if (e.open >= 0) {
      EXPECT_EQ(test::run_filter(program, {e.arch, e.open, {0, flag}}), kDenied) << flag;
    }
  }
  const unsigned long long reading = 02000000;  // O_RDONLY | O_CLOEXEC
  EXPECT_EQ(test::run_filter(program, {e.arch, e.openat, {0, 0, reading}}), SECCOMP_RET_ALLOW);
  if (e.open >= 0) {
    EXPECT_EQ(test::run_filter(program, {e.arch, e.open, {0, reading}}), SECCOMP_RET_ALLOW);
  }
  // The mode that stands where the other call has its flags decides nothing.
  EXPECT_EQ(test::run_filter(program, {e.arch, e.openat, {0, 0777, reading}}), SECCOMP_RET_ALLOW);
}

TEST_P(Filter, RefusesCallsOfAnotherArchitecture) {
  const Expected& e = GetParam();
  if (::access(agent_path(e.agent).c_str(), X_OK) != 0)
    GTEST_SKIP() << "no " << e.agent << " agent in this build";
  const auto binary = base::read_text(agent_path(e.agent));
  ASSERT_TRUE(binary) << binary.error().what;
  const std::vector<sock_filter> program = filter_of(*binary, e.arch);
  for (const unsigned other :
       {0xC000003Eu, 0x40000003u, 0xC00000B7u, 0x40000028u, 0x28u}) {  // 0x28: big-endian ARM
    if (other == e.arch) continue;
    for (const int number : e.allowed)
      EXPECT_EQ(test::run_filter(program, {other, number, {}}), kDenied) << other;
  }
}

INSTANTIATE_TEST_SUITE_P(Agents, Filter, testing::ValuesIn(kExpected),
                         [](const testing::TestParamInfo<Expected>& e) {
                           return std::string(e.param.agent);
                         });

}  // namespace
}  // namespace mikroscope::agents_test
