#include "cli/forward/replay.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/clock.h"
#include "cli/signals.h"
#include "proc/reader/reader.h"
#include "sinks/kernel/kernel_events.h"
#include "sinks/pipeline/runner.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::cli {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::size_t kBlock = 200;                              // events
constexpr std::uint64_t kMostWaiting = std::uint64_t{32} << 20;  // bytes; half of the spool
constexpr std::int64_t kSecond = base::kNsPerSecond;

bool is_file(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
}

// host-2026…-x.jsonl is told as the host of its recording; the file says no more than its name.
std::string host_of(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.ends_with(".jsonl")) name.resize(name.size() - 6);
  return name;
}

}  // namespace

base::Result<base::Exit> replay(const std::string& name, std::vector<std::unique_ptr<sinks::Sink>> sinks,
                                std::int64_t drain_ns) {
  const std::string path = is_file(name) ? name : name + ".jsonl";
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return base::Error{fmt::format("there is no recording {}", path),
                       "give the prefix that `record -o` was given", base::Exit::no_data};
  sinks::SpoolOptions options;
  options.max_bytes = 2 * kMostWaiting;
  auto spool = sinks::Spool::open(options);
  if (!spool.ok()) return spool.error();
  StopSignals signals;
  const auto say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  std::vector<std::unique_ptr<sinks::Runner>> runners;
  for (auto& sink : sinks) {
    const std::string key = sink->name();
    runners.push_back(std::make_unique<sinks::Runner>(std::move(sink), (*spool)->reader(key), say));
  }
  for (const auto& runner : runners) runner->start();
  const auto alive = [&] {
    return std::any_of(runners.begin(), runners.end(), [](const auto& r) { return !r->counts().stopped; });
  };

  proc::NdjsonReader reader;
  sinks::KernelEvents kernel(host_of(path));
  std::vector<model::Event> events;
  std::uint64_t samples = 0;
  // What is behind waits for the stores, not for memory: the reading does.
  const auto put = [&]() -> base::Result<void> {
    for (std::size_t from = 0; from < events.size();) {
      std::size_t to = from + 1;
      while (to < events.size() && to - from < kBlock &&
             events[to].origin->instance == events[from].origin->instance)
        ++to;
      if (auto done = (*spool)->append({events.data() + from, to - from}, nullptr); !done.ok()) return done;
      from = to;
    }
    events.clear();
    (*spool)->maintain();
    while ((*spool)->counts().bytes > kMostWaiting && signals.count() == 0 && alive()) {
      usleep(20'000);
      (*spool)->maintain();
    }
    return {};
  };
  std::string piece(kPiece, '\0');
  std::int64_t wall_ns = base::wall_ns();
  const auto take_all = [&]() -> base::Result<void> {
    while (const auto item = reader.next()) {
      if (const auto* frame = std::get_if<proc::Frame>(&*item)) {
        ++samples;
        wall_ns = frame->head.wall_ns;
      }
      kernel.take(*item, wall_ns, events);
      if (events.size() < kBlock) continue;
      if (auto done = put(); !done.ok()) return done;
    }
    return {};
  };
  while (in && signals.count() == 0 && alive()) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    reader.feed(std::string_view(piece.data(), static_cast<std::size_t>(in.gcount())));
    if (auto done = take_all(); !done.ok()) return done.error();
  }
  reader.finish();
  if (auto done = take_all(); !done.ok()) return done.error();
  if (auto done = put(); !done.ok()) return done.error();

  // As long as a store makes headway it may take its time.
  std::uint64_t behind_before = UINT64_MAX;
  std::int64_t deadline = base::monotonic_ns() + drain_ns;
  for (;;) {
    std::uint64_t behind = 0;
    for (const auto& runner : runners) behind += runner->counts().stopped ? 0 : runner->counts().behind;
    if (behind < behind_before) deadline = base::monotonic_ns() + drain_ns;
    behind_before = behind;
    if (behind == 0 || signals.count() > 0 || base::monotonic_ns() > deadline) break;
    usleep(20'000);
  }
  base::Exit exit = base::Exit::ok;
  for (const auto& runner : runners) runner->finish(base::monotonic_ns() + kSecond);
  for (const auto& runner : runners) {
    runner->join();
    const sinks::SinkCounts counts = runner->counts();
    fmt::print(stderr, "{}: {} events delivered, {} refused, {} left\n", counts.name, counts.events,
               counts.rejected, counts.behind);
    if (counts.behind != 0 || counts.stopped || counts.dropped != 0) exit = base::Exit::failed;
  }
  fmt::print(
      stderr, "{} samples of {}{}\n", samples, path,
      kernel.malformed() == 0 ? "" : fmt::format(", {} unreadable lines passed over", kernel.malformed()));
  if (samples == 0) return base::Error{fmt::format("{} holds no sample", path), "", base::Exit::no_data};
  if (signals.count() > 0) return base::Exit::interrupted;
  return exit;
}

}  // namespace mikroscope::cli
