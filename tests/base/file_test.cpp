#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "base/arena.h"
#include "base/clock.h"

namespace mikroscope::base {
namespace {

std::string cat(const char* path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(ReadWhole, ManyRecordFilesAreReadToTheirEnd) {
  // The kernel hands out about a page a read: a reader that takes a short read for the end loses most of the
  // file.
  std::string memory(4 << 20, '\0');
  for (const char* path : {"/proc/vmstat", "/proc/interrupts", "/proc/slabinfo"}) {
    const Fd fd = open_read(path);
    if (!fd) continue;
    const ReadResult whole = read_whole(fd.get(), {memory.data(), memory.size()}, FileShape{1600});
    if (whole.error == ReadError::too_large) continue;
    ASSERT_EQ(whole.error, ReadError::none) << path;
    const auto lines = [](std::string_view t) { return std::count(t.begin(), t.end(), '\n'); };
    EXPECT_EQ(lines(whole.text), lines(cat(path))) << path;
  }
}

TEST(ReadWhole, NoticesWhenAShapeWouldEndTooEarly) {
  // /proc/kallsyms takes thousands of reads: declared as one record it would be cut after the first.
  std::string memory(32 << 20, '\0');
  const Fd fd = open_read("/proc/kallsyms");
  if (!fd) GTEST_SKIP() << "/proc/kallsyms is not readable here";
  const base::ReadBuffer buffer{memory.data(), memory.size()};
  const ReadResult checked = read_whole(fd.get(), buffer, kSingleRecord, true);
  ASSERT_EQ(checked.error, ReadError::none);
  EXPECT_TRUE(checked.shape_wrong);
  EXPECT_FALSE(read_whole(fd.get(), buffer, kUntilZero, true).shape_wrong);
  EXPECT_EQ(read_whole(fd.get(), buffer, kUntilZero).text.size(), checked.text.size());
}

TEST(ReadWhole, TooSmallABufferIsAnErrorNotACut) {
  const Fd fd = open_read("/proc/vmstat");
  ASSERT_TRUE(fd);
  char small[64];
  EXPECT_EQ(read_whole(fd.get(), {small, sizeof small}, kSingleRecord).error, ReadError::too_large);
}

TEST(ReadWhole, RereadsFromTheStart) {
  const Fd fd = open_read("/proc/self/stat");
  ASSERT_TRUE(fd);
  char buffer[4096];
  const std::string first(read_whole(fd.get(), {buffer, sizeof buffer}, kSingleRecord).text);
  const std::string second(read_whole(fd.get(), {buffer, sizeof buffer}, kSingleRecord).text);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first.substr(0, first.find(' ')), second.substr(0, second.find(' ')));
}

TEST(ReadWhole, SaysWhatFailed) {
  EXPECT_FALSE(open_read("/proc/no-such-file"));
  EXPECT_EQ(errno, ENOENT);
  const Fd directory = open_read("/proc");
  ASSERT_TRUE(directory);
  char buffer[64];
  const ReadResult got = read_whole(directory.get(), {buffer, sizeof buffer}, kSingleRecord);
  EXPECT_EQ(got.error, ReadError::failed);
  EXPECT_EQ(got.error_number, EISDIR);
}

TEST(Fd, ClosesOnceAndMoves) {
  int raw = -1;
  {
    Fd a = open_read("/proc/self/stat");
    raw = a.get();
    Fd b = std::move(a);
    EXPECT_FALSE(a);
    EXPECT_EQ(b.get(), raw);
  }
  EXPECT_EQ(fcntl(raw, F_GETFD), -1);
}

TEST(Arena, HandsOutAlignedPiecesAndRefusesTheRest) {
  alignas(8) std::byte memory[64] = {};
  Arena arena(memory, sizeof memory);
  arena.take(1, 1);
  auto* const words = arena.make<std::uint64_t>(4);
  ASSERT_NE(words, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(words) % alignof(std::uint64_t), 0U);
  EXPECT_EQ(words[3], 0U);
  EXPECT_FALSE(arena.refused());
  EXPECT_EQ(arena.make<std::uint64_t>(4), nullptr);
  EXPECT_TRUE(arena.refused());
  EXPECT_EQ(arena.make<std::uint64_t>(SIZE_MAX / 2), nullptr) << "a product that overflows is refused";
}

TEST(Clock, MonotonicAndBootClocksGoForward) {
  const std::int64_t a = monotonic_ns();
  const std::int64_t b = boot_ns();
  EXPECT_GE(monotonic_ns(), a);
  EXPECT_GE(boot_ns(), b);
  EXPECT_GE(boot_ns(), a) << "time asleep counts in the boot clock only";
  EXPECT_GT(wall_ns(), 1'700'000'000 * kNsPerSecond);
}

}  // namespace
}  // namespace mikroscope::base
