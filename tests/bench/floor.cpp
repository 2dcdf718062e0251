// What the kernel alone charges: reads the same files as the agent at the same pace and does nothing with
// them.
//
//   floor HZ SECONDS PATH[@MAX_HZ]…
//
// Every file is opened once and read from 0 until a read returns 0. @MAX_HZ reads it at most so often. Prints
// one line of JSON with the CPU time of the process per tick and the ticks missed.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <vector>

#include "base/clock.h"
#include "base/file.h"

using namespace mikroscope;

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s HZ SECONDS PATH[:BYTES][@MAX_HZ]...\n", argv[0]);
    return 2;
  }
  const long hz = atol(argv[1]);
  const double seconds = atof(argv[2]);
  struct File {
    base::Fd fd;
    long every = 1;
    std::size_t head = 0;  // bytes to read, 0: all
  };
  std::vector<File> files;
  for (int i = 3; i < argc; ++i) {
    char* const at = strrchr(argv[i], '@');
    long every = 1;
    if (at != nullptr) {
      *at = '\0';
      const double max_hz = atof(at + 1);
      every = max_hz > 0 && max_hz < static_cast<double>(hz)
                  ? static_cast<long>(static_cast<double>(hz) / max_hz + 0.5)
                  : 1;
    }
    std::size_t head = 0;
    if (char* const colon = strrchr(argv[i], ':'); colon != nullptr) {
      *colon = '\0';
      head = strtoul(colon + 1, nullptr, 10);
    }
    base::Fd fd = base::open_read(argv[i]);
    if (fd) files.push_back({static_cast<base::Fd&&>(fd), every, head});
  }
  const base::Fd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  const long period_ns = 1'000'000'000L / hz;
  itimerspec spec{};
  const std::int64_t start = base::monotonic_ns() + period_ns;
  spec.it_value = {start / base::kNsPerSecond, start % base::kNsPerSecond};
  spec.it_interval = {period_ns / base::kNsPerSecond, period_ns % base::kNsPerSecond};
  timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &spec, nullptr);
  static char buffer[1 << 17];
  unsigned long long ticks = 0;
  unsigned long long missed = 0;
  const std::int64_t cpu = base::process_cpu_ns();
  while (static_cast<double>(base::monotonic_ns() - start) < seconds * 1e9) {
    std::uint64_t expirations = 0;
    if (read(timer.get(), &expirations, sizeof expirations) != sizeof expirations) continue;
    missed += expirations - 1;
    for (const File& file : files) {
      if (ticks % static_cast<unsigned long>(file.every) != 0) continue;
      if (file.head != 0) {
        if (pread(file.fd.get(), buffer, file.head, 0) < 0) perror("pread");
        continue;
      }
      off_t offset = 0;
      for (ssize_t n = 0; (n = pread(file.fd.get(), buffer, sizeof buffer, offset)) > 0;) offset += n;
    }
    ++ticks;
  }
  printf("{\"ticks\":%llu,\"missed\":%llu,\"cpu_us_per_tick\":%.1f}\n", ticks, missed,
         static_cast<double>(base::process_cpu_ns() - cpu) / 1e3 / static_cast<double>(ticks));
  return 0;
}
