// Facts about the machine and this process that do not change while the agent runs, read once at start.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arena.h"
#include "base/file.h"
#include "base/format.h"
#include "proc/source.h"

namespace mikroscope::agent {

extern const std::string_view kVersion;

// A CPU flaw and what the kernel does about it, as /sys/devices/system/cpu/vulnerabilities says.
struct Vulnerability {
  std::string_view name;
  std::string_view state;
};

struct MemoryLimit {
  std::uint64_t bytes = 0;  // 0: none known
  std::string_view from;    // the file that says so
};

// Where a thermal zone's driver acts: as its trip_point_N_temp and _type say.
struct TripPoint {
  std::uint32_t zone = 0;
  std::string_view type;  // passive, hot, critical, ...
  std::int64_t millicelsius = 0;
};

struct MachineFacts {
  proc::Machine machine{0};
  std::string_view version_line;   // /proc/version, without the compiler
  std::string_view kernel;         // release, e.g. 5.6.3
  std::string_view board;          // /proc/device-tree/model, else board= of the command line
  std::string_view cmdline_board;  // board= and ver= of /proc/cmdline (RouterBOOT)
  std::string_view cmdline_version;
  std::string_view governor;          // of CPU 0
  std::uint64_t cpufreq_min_khz = 0;  // the bounds that CPU 0's governor keeps to; 0: unknown
  std::uint64_t cpufreq_max_khz = 0;
  bool watchdog = false;  // there is a hardware or software watchdog
  std::string_view watchdog_identity;
  char instance[17] = {};  // random hexadecimal
  std::string_view boot_id;
  std::uint32_t online_cpus = 0;
  std::uint64_t conntrack_max = 0;  // 0: unknown
  std::uint64_t memory_total = 0;   // bytes
  MemoryLimit memory_limit;         // the least of this process's cgroup and those above it
  static constexpr std::uint32_t kMaxTripPoints = 32;
  TripPoint trip_points[kMaxTripPoints];
  std::uint32_t trip_point_count = 0;
  static constexpr std::uint32_t kMaxVulnerabilities = 32;
  Vulnerability vulnerabilities[kMaxVulnerabilities];
  std::uint32_t vulnerability_count = 0;
};

void read_facts(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer, MachineFacts& out);

// The least limit for this process: cgroup v2 memory.max, or v1 memory.limit_in_bytes, on the path from the
// process's own group to the root (a container sees its own group as the root).
MemoryLimit read_memory_limit(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer);

// The highest CPU of a list such as "0-3,8", plus one; 0 where it is none.
std::uint32_t cpu_list_end(std::string_view list);
// How many CPUs such a list names.
std::uint32_t cpu_list_count(std::string_view list);

// 16 random hexadecimal digits and a NUL.
void random_name(char (&out)[17]);

}  // namespace mikroscope::agent
