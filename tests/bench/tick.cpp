// The agent's tick in a tight loop, beside a bare read of the same files: where user time goes (run it under
// callgrind), and what parsing and encoding add to reading with hot caches.
//
//   tick SAMPLES [SOURCES]

#include <stdio.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "base/clock.h"

using namespace mikroscope;

int main(int argc, char** argv) {
  const long samples = argc > 1 ? atol(argv[1]) : 10000;
  setenv("RATE_HZ", "100", 1);
  setenv("CAPTURE_MB", "0", 1);
  if (argc > 2) setenv("SOURCES", argv[2], 1);
  char text[512];
  base::Writer error(text, sizeof text);
  agent::Config config;
  auto agent = std::make_unique<agent::Agent>();
  agent::AgentOptions options;
  options.handle_signals = options.listen = options.timer = false;
  if (!agent::parse_environment(config, error) || !agent->start(config, options, error)) {
    fprintf(stderr, "%.*s\n", static_cast<int>(error.size()), error.view().data());
    return 1;
  }
  std::vector<base::Fd> files;
  for (const agent::SourceState& s : agent->sampler().sources()) {
    if (!s.open() || s.period_ticks != 1) continue;
    s.source->paths(
        [](void* context, std::string_view path) {
          if (path.find("slabinfo") == std::string_view::npos)
            static_cast<std::vector<base::Fd>*>(context)->push_back(
                base::open_read(std::string(path).c_str()));
        },
        &files);
  }
  static char buffer[1 << 18];
  std::int64_t read_ns = 0;
  std::int64_t tick_ns = 0;
  for (long i = 0; i < samples; ++i) {
    const std::int64_t a = base::monotonic_ns();
    for (const base::Fd& fd : files) base::read_whole(fd.get(), {buffer, sizeof buffer}, base::kUntilZero);
    const std::int64_t b = base::monotonic_ns();
    agent->sample(b, 0);
    const std::int64_t c = base::monotonic_ns();
    read_ns += b - a;
    tick_ns += c - b;
  }
  printf("%ld samples: tick %.1f us, bare reads to the end %.1f us\n", samples,
         static_cast<double>(tick_ns) / 1e3 / static_cast<double>(samples),
         static_cast<double>(read_ns) / 1e3 / static_cast<double>(samples));
  return 0;
}
