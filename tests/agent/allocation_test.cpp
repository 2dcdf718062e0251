// After start() the agent allocates nothing: malloc of this program counts the calls made while the agent
// works.

#include <gtest/gtest.h>

#include <new>

#include "harness.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)

#include <cstddef>
#include <cstdlib>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);

namespace {
bool counting = false;
unsigned long calls = 0;
}  // namespace

extern "C" void* malloc(std::size_t size) {
  if (counting) ++calls;
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  if (counting) ++calls;
  return __libc_calloc(count, size);
}
extern "C" void* realloc(void* old, std::size_t size) {
  if (counting) ++calls;
  return __libc_realloc(old, size);
}

namespace mikroscope::agent {
namespace {

TEST(Allocation, TheCounterCounts) {
  counting = true;
  void* volatile kept = std::malloc(100);  // volatile: or the compiler leaves both calls out
  counting = false;
  std::free(kept);
  EXPECT_EQ(calls, 1u);
}

TEST(Allocation, NoneAfterStart) {
  Harness h(Env{{"RATE_HZ", "10"}, {"TRIGGERS", "busy>=0.5,reset,oom,memfall>=1,squeeze"}});
  ASSERT_TRUE(h.started) << h.error;
  h.samples(2);
  Client stream(h);
  stream.send("GET /stream?since=oldest HTTP/1.1\r\nHost: x\r\n\r\n");
  Client poll(h);
  calls = 0;
  for (unsigned i = 0; i < 800; ++i) {
    if (i % 50 == 0) h.write_stat(100 + i, i % 100 == 0 ? 5 : 100000);
    if (i % 40 == 0) poll.send("GET /samples?since=0 HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 40 == 10) poll.send("GET /capabilities HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 40 == 20) poll.send("GET /sampler HTTP/1.1\r\nHost: x\r\n\r\n");
    if (i % 40 == 30) poll.send("POST /capture HTTP/1.1\r\nHost: x\r\n\r\n");
    counting = true;
    h.samples(1);
    h.agent().turn(0);
    counting = false;
    stream.turn();
    poll.turn();
  }
  EXPECT_EQ(calls, 0u);
  EXPECT_GT(h.agent().service().counts.requests, 40u);
}

}  // namespace
}  // namespace mikroscope::agent

#else

TEST(Allocation, NoneAfterStart) {
  GTEST_SKIP() << "the sanitizer's allocator cannot be counted";
}

#endif

namespace mikroscope::agent {
namespace {

// The program takes memory of zeroes for its agent without running the constructor.
TEST(Allocation, ANewAgentIsZeroBytes) {
  alignas(Agent) static unsigned char memory[sizeof(Agent)];
  const Agent* const agent = new (memory) Agent;
  for (std::size_t i = 0; i < sizeof memory; ++i) {
    ASSERT_EQ(memory[i], 0) << "at offset " << i << " of " << sizeof memory;
  }
  agent->~Agent();
}

}  // namespace
}  // namespace mikroscope::agent
