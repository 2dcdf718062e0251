#include "agent/machine.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "agent/config.h"
#include "base/clock.h"
#include "base/text.h"

namespace mikroscope::agent {
namespace {

constexpr std::uint32_t kMostCpus = 4096;

std::string_view read_text(std::string_view root, std::string_view rest, base::ReadBuffer buffer) {
  char path[proc::kMaxPath];
  if (!proc::join_path(root, rest, path)) return {};
  const base::ReadResult got = base::read_path(path, buffer);
  return got.error == base::ReadError::none ? base::trim(got.text) : std::string_view();
}

std::uint64_t read_number(std::string_view root, std::string_view rest, base::ReadBuffer buffer) {
  std::uint64_t value = 0;
  return base::parse_u64(read_text(root, rest, buffer), value) ? value : 0;
}

std::string_view word_after(std::string_view text, std::string_view name) {
  base::Scanner s(text);
  for (std::string_view word = s.word(); !word.empty(); word = s.word()) {
    if (word.substr(0, name.size()) == name) return word.substr(name.size());
    s.skip_spaces();
  }
  return {};
}

// Calls visit(first, last) for every range of a CPU list.
template <class Visit>
void each_range(std::string_view list, Visit visit) {
  base::Scanner s(list);
  std::uint64_t first = 0;
  while (s.u64(first)) {
    std::uint64_t last = first;
    if (s.consume('-') && !s.u64(last)) return;
    if (last < first || last >= kMostCpus) return;
    visit(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
    if (!s.consume(',')) return;
  }
}

void read_vulnerabilities(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer,
                          MachineFacts& out) {
  constexpr std::string_view kDirectory = "devices/system/cpu/vulnerabilities";
  char path[proc::kMaxPath];
  if (!proc::join_path(roots.sys, kDirectory, path)) return;
  const base::Fd directory(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return;
  // opendir() would allocate. struct linux_dirent64: ino 8, off 8, reclen 2, type 1, name.
  constexpr std::size_t kName = 19;
  char entries[4096];
  for (;;) {
    const long got = syscall(SYS_getdents64, directory.get(), entries, sizeof entries);
    if (got <= 0) return;
    for (long at = 0; at < got;) {
      std::uint16_t length = 0;
      std::memcpy(&length, entries + at + 16, sizeof length);
      const std::string_view name(entries + at + kName);
      at += length;
      if (name.front() == '.' || out.vulnerability_count == MachineFacts::kMaxVulnerabilities) continue;
      char file[proc::kMaxPath];
      if (!proc::join_path(path, name, file)) continue;
      const base::ReadResult text = base::read_path(file, buffer);
      if (text.error != base::ReadError::none) continue;
      out.vulnerabilities[out.vulnerability_count++] = {arena.copy(name), arena.copy(base::trim(text.text))};
    }
  }
}

void read_trip_points(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer,
                      MachineFacts& out) {
  constexpr std::uint32_t kZones = 16;
  constexpr std::uint32_t kTripsPerZone = 12;
  for (std::uint32_t zone = 0; zone < kZones; ++zone) {
    for (std::uint32_t trip = 0; trip < kTripsPerZone; ++trip) {
      if (out.trip_point_count == MachineFacts::kMaxTripPoints) return;
      char rest[96];
      base::Writer path(rest, sizeof rest);
      path.put("class/thermal/thermal_zone");
      path.u64(zone);
      path.put("/trip_point_");
      path.u64(trip);
      const std::size_t stem = path.size();
      path.put("_temp");
      std::int64_t millicelsius = 0;
      if (!base::parse_i64(read_text(roots.sys, path.view(), buffer), millicelsius)) break;
      path.rewind(stem);
      path.put("_type");
      out.trip_points[out.trip_point_count++] = {zone, arena.copy(read_text(roots.sys, path.view(), buffer)),
                                                 millicelsius};
    }
  }
}

void read_watchdog(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer, MachineFacts& out) {
  char path[proc::kMaxPath];
  if (!proc::join_path(roots.sys, "class/watchdog/watchdog0", path)) return;
  out.watchdog = access(path, F_OK) == 0;
  if (out.watchdog)
    out.watchdog_identity = arena.copy(read_text(roots.sys, "class/watchdog/watchdog0/identity", buffer));
}

bool names(std::string_view controllers, std::string_view wanted) {
  std::string_view name;
  while (next_item(controllers, name)) {
    if (name == wanted) return true;
  }
  return false;
}

// One level of a cgroup tree: `mount` + `group` + "/" + `file`.
void consider(std::string_view mount, std::string_view group, std::string_view file, base::Arena& arena,
              base::ReadBuffer buffer, MemoryLimit& least) {
  char directory[proc::kMaxPath];
  char path[proc::kMaxPath];
  while (!group.empty() && group.front() == '/') group.remove_prefix(1);
  std::string_view where = mount;
  if (!group.empty()) {
    if (!proc::join_path(mount, group, directory)) return;
    where = directory;
  }
  if (!proc::join_path(where, file, path)) return;
  const base::ReadResult got = base::read_path(path, buffer);
  std::uint64_t bytes = 0;
  // v2 says "max" where there is no limit, v1 a number near 2^63.
  if (got.error != base::ReadError::none || !base::parse_u64(got.text, bytes) || bytes > INT64_MAX / 2)
    return;
  if (least.bytes == 0 || bytes < least.bytes) least = {bytes, arena.copy(path)};
}

void consider_all(std::string_view mount, std::string_view group, std::string_view file, base::Arena& arena,
                  base::ReadBuffer buffer, MemoryLimit& least) {
  for (;;) {
    consider(mount, group, file, arena, buffer, least);
    const std::size_t slash = group.rfind('/');
    if (group.empty() || slash == std::string_view::npos) return;
    group = group.substr(0, slash);
  }
}

}  // namespace

std::uint32_t cpu_list_end(std::string_view list) {
  std::uint32_t end = 0;
  each_range(list, [&](std::uint32_t, std::uint32_t last) { end = last + 1 > end ? last + 1 : end; });
  return end;
}

std::uint32_t cpu_list_count(std::string_view list) {
  std::uint32_t count = 0;
  each_range(list, [&](std::uint32_t first, std::uint32_t last) { count += last - first + 1; });
  return count;
}

void random_name(char (&out)[17]) {
  unsigned char bytes[8] = {};
  if (syscall(SYS_getrandom, bytes, sizeof bytes, 0) != static_cast<long>(sizeof bytes)) {
    // Before the kernel has entropy, or without the call: two clocks are still never the same twice.
    const std::uint64_t mixed = static_cast<std::uint64_t>(base::wall_ns()) * 6364136223846793005U +
                                static_cast<std::uint64_t>(base::process_cpu_ns());
    std::memcpy(bytes, &mixed, sizeof bytes);
  }
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    out[2 * i] = kDigits[bytes[i] >> 4];
    out[2 * i + 1] = kDigits[bytes[i] & 15];
  }
  out[16] = '\0';
}

MemoryLimit read_memory_limit(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer) {
  MemoryLimit least;
  char groups[2048];
  char mount2[proc::kMaxPath];
  char mount1[proc::kMaxPath];
  if (!proc::join_path(roots.sys, "fs/cgroup", mount2) ||
      !proc::join_path(roots.sys, "fs/cgroup/memory", mount1)) {
    return least;
  }
  const std::string_view text = read_text(roots.proc, "self/cgroup", {groups, sizeof groups});
  base::Scanner s(text);
  bool any = false;
  while (!s.done()) {
    base::Scanner line(s.line());  // hierarchy:controllers:path
    std::string_view id;
    std::string_view controllers;
    if (!line.until(':', id) || !line.until(':', controllers)) continue;
    if (controllers.empty()) {
      consider_all(mount2, line.rest(), "memory.max", arena, buffer, least);
      any = true;
    } else if (names(controllers, "memory")) {
      consider_all(mount1, line.rest(), "memory.limit_in_bytes", arena, buffer, least);
      any = true;
    }
  }
  if (!any) {
    consider(mount2, {}, "memory.max", arena, buffer, least);
    consider(mount1, {}, "memory.limit_in_bytes", arena, buffer, least);
  }
  return least;
}

void read_facts(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer, MachineFacts& out) {
  random_name(out.instance);
  out.boot_id = arena.copy(read_text(roots.proc, "sys/kernel/random/boot_id", buffer).substr(0, 36));
  const std::string_view version = read_text(roots.proc, "version", buffer);
  out.version_line = arena.copy(version.substr(0, version.find('(')));
  constexpr std::string_view kPrefix = "Linux version ";
  std::string_view release =
      version.substr(0, kPrefix.size()) == kPrefix ? version.substr(kPrefix.size()) : version;
  if (version.substr(0, 6) == "Linux " && release.data() == version.data()) release = version.substr(6);
  out.kernel = arena.copy(release.substr(0, release.find(' ')));
  const std::string_view cmdline = read_text(roots.proc, "cmdline", buffer);
  out.cmdline_board = arena.copy(word_after(cmdline, "board="));
  out.cmdline_version = arena.copy(word_after(cmdline, "ver="));
  out.board = arena.copy(read_text(roots.proc, "device-tree/model", buffer));
  if (out.board.empty()) out.board = out.cmdline_board;
  out.governor = arena.copy(read_text(roots.sys, "devices/system/cpu/cpu0/cpufreq/scaling_governor", buffer));
  out.cpufreq_min_khz = read_number(roots.sys, "devices/system/cpu/cpu0/cpufreq/scaling_min_freq", buffer);
  out.cpufreq_max_khz = read_number(roots.sys, "devices/system/cpu/cpu0/cpufreq/scaling_max_freq", buffer);
  out.machine.possible_cpus = cpu_list_end(read_text(roots.sys, "devices/system/cpu/possible", buffer));
  out.online_cpus = cpu_list_count(read_text(roots.sys, "devices/system/cpu/online", buffer));
  const std::string_view stat = read_text(roots.proc, "stat", buffer);
  std::uint32_t listed = 0;
  std::uint32_t end = 0;
  for (base::Scanner s(stat); !s.done();) {
    base::Scanner line(s.line());
    std::uint64_t cpu = 0;
    if (!line.consume("cpu") || line.peek() == ' ' || !line.u64(cpu) || cpu >= kMostCpus) continue;
    ++listed;
    end = static_cast<std::uint32_t>(cpu) + 1 > end ? static_cast<std::uint32_t>(cpu) + 1 : end;
  }
  if (out.machine.possible_cpus < end) out.machine.possible_cpus = end;
  if (out.machine.possible_cpus == 0) out.machine.possible_cpus = 1;
  if (out.online_cpus == 0) out.online_cpus = listed;
  out.conntrack_max = read_number(roots.proc, "sys/net/netfilter/nf_conntrack_max", buffer);
  base::Scanner meminfo(read_text(roots.proc, "meminfo", buffer));
  std::uint64_t total_kib = 0;
  if (meminfo.consume("MemTotal:") && meminfo.u64(total_kib)) out.memory_total = total_kib * 1024;
  out.memory_limit = read_memory_limit(roots, arena, buffer);
  read_trip_points(roots, arena, buffer, out);
  read_watchdog(roots, arena, buffer, out);
  read_vulnerabilities(roots, arena, buffer, out);
}

}  // namespace mikroscope::agent
