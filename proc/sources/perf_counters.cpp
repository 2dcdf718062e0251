#include "proc/sources/perf_counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"

namespace mikroscope::proc {
namespace {

base::Fd open_event(const PerfEvent& event, int cpu, int group) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.exclude_hv = 1;
  attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return base::Fd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

int PerfCounters::open(int cpu, std::span<const PerfEvent> events) {
  cpu_ = cpu;
  events_ = events.first(events.size() < kMaxPerfEvents ? events.size() : kMaxPerfEvents);
  return open_all(true);
}

void PerfCounters::close() {
  for (base::Fd& fd : fd_) fd.reset();
  for (std::uint64_t& before : enabled_before_) before = 0;
  opened_ = 0;
}

int PerfCounters::open_all(bool grouped) {
  close();
  grouped_ = grouped;
  int first_error = 0;
  std::size_t leader = kMaxPerfEvents;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const bool join = grouped && leader != kMaxPerfEvents;
    leader_[i] = static_cast<std::uint8_t>(join ? leader : i);
    fd_[i] = open_event(events_[i], cpu_, join ? fd_[leader].get() : -1);
    if (!fd_[i] && join) {
      leader_[i] = static_cast<std::uint8_t>(i);
      fd_[i] = open_event(events_[i], cpu_, -1);
    } else if (fd_[i] && leader == kMaxPerfEvents) {
      leader = i;
    }
    if (fd_[i]) {
      ++opened_;
    } else if (first_error == 0) {
      first_error = errno;
    }
  }
  return opened_ != 0 ? 0 : first_error;
}

bool PerfCounters::read(std::span<PerfReading> out) {
  for (PerfReading& reading : out) reading.present = false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (!fd_[i] || leader_[i] != i) continue;
    if (read_group(i, out)) continue;
    for (PerfReading& reading : out) reading.present = false;
    close();
    return false;
  }
  // A group that was never scheduled: what it could not do together its members may do in turns.
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (!grouped_ || !out[i].present || out[i].running_ns != 0 || out[i].enabled_ns < base::kNsPerSecond)
      continue;
    for (PerfReading& reading : out) reading.present = false;
    return open_all(false) == 0;
  }
  return true;
}

bool PerfCounters::read_group(std::size_t leader, std::span<PerfReading> out) {
  struct {
    std::uint64_t count;
    std::uint64_t enabled_ns;
    std::uint64_t running_ns;
    std::uint64_t value[kMaxPerfEvents];
  } group;
  constexpr std::size_t kHead = 3 * sizeof(std::uint64_t);
  const ssize_t got = ::read(fd_[leader].get(), &group, sizeof group);
  if (got < static_cast<ssize_t>(kHead) || group.count > kMaxPerfEvents ||
      static_cast<std::size_t>(got) < kHead + group.count * sizeof(std::uint64_t)) {
    return false;
  }
  // Time stands still only where the CPU is offline.
  if (group.enabled_ns <= enabled_before_[leader]) return false;
  enabled_before_[leader] = group.enabled_ns;
  std::size_t next = 0;
  for (std::size_t i = leader; i < events_.size() && next < group.count; ++i) {
    if (!fd_[i] || leader_[i] != leader) continue;
    out[i] = {true, group.value[next++], group.enabled_ns, group.running_ns};
  }
  return true;
}

}  // namespace mikroscope::proc
