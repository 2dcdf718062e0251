// How fast recordings are read: read_recording X.jsonl prints samples, bytes, seconds, MB/s.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "base/clock.h"
#include "proc/reader/reader.h"

using namespace mikroscope;

int main(int argc, char** argv) {
  const int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
  if (fd < 0) {
    std::fprintf(stderr, "usage: %s X.jsonl\n", argv[0]);
    return 2;
  }
  const std::int64_t start = base::monotonic_ns();
  proc::NdjsonReader reader;
  std::vector<char> chunk(1 << 18);
  std::uint64_t frames = 0;
  std::uint64_t others = 0;
  std::uint64_t bytes = 0;
  for (ssize_t n = 0; (n = read(fd, chunk.data(), chunk.size())) > 0;) {
    bytes += static_cast<std::uint64_t>(n);
    reader.feed_in_place({chunk.data(), static_cast<std::size_t>(n)});
    while (auto item = reader.next()) ++(std::holds_alternative<proc::Frame>(*item) ? frames : others);
  }
  const double seconds = static_cast<double>(base::monotonic_ns() - start) / 1e9;
  std::printf("%llu samples, %llu other lines, %llu bytes, %.3f s, %.0f MB/s, %.2f us/sample\n",
              static_cast<unsigned long long>(frames), static_cast<unsigned long long>(others),
              static_cast<unsigned long long>(bytes), seconds, static_cast<double>(bytes) / 1e6 / seconds,
              seconds * 1e6 / static_cast<double>(frames));
  close(fd);
  return 0;
}
