#include "agent/machine.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "agent/config.h"
#include "base/clock.h"
#include "base/text.h"
#include "proc/kernel_path.h"

namespace mikroscope::agent {
namespace {

constexpr std::uint32_t kMostCpus = 4096;

// Reads one file after the other through one buffer: a text is good until the next is read.
class Reader {
 public:
  Reader(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer)
      : roots_(roots), arena_(arena), buffer_(buffer) {}

  // Trimmed; empty where there is none.
  std::string_view text(const proc::KernelPath& path) {
    std::string_view text;
    return proc::read_once(path, buffer_, text) ? base::trim(text) : std::string_view();
  }
  [[gnu::noinline]] std::string_view proc(const char* rest) { return text({roots_.proc, "%s", rest}); }
  [[gnu::noinline]] std::string_view sys(const char* rest) { return text({roots_.sys, "%s", rest}); }
  [[gnu::noinline]] std::string_view kept(std::string_view text) { return arena_.copy(text); }
  std::string_view cpufreq(std::string_view bound) {  // of CPU 0
    return text({roots_.sys, "devices/system/cpu/cpu0/cpufreq/scaling_%s", bound});
  }
  std::string_view kept_proc(const char* rest) { return kept(proc(rest)); }
  std::string_view kept_sys(const char* rest) { return kept(sys(rest)); }
  // 0 where it is no number.
  [[gnu::noinline]] static std::uint64_t number(std::string_view text) {
    std::uint64_t value = 0;
    return base::parse_u64(text, value) ? value : 0;
  }
  const proc::Roots& roots() const { return roots_; }

 private:
  const proc::Roots& roots_;
  base::Arena& arena_;
  base::ReadBuffer buffer_;
};

std::string_view word_after(std::string_view text, std::string_view name) {
  base::Scanner s(text);
  for (std::string_view word = s.word(); !word.empty(); word = s.word()) {
    if (word.starts_with(name)) return word.substr(name.size());
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

void read_vulnerabilities(Reader& reader, MachineFacts& out) {
  const proc::KernelPath path(reader.roots().sys, "devices/system/cpu/vulnerabilities");
  const base::Fd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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
      const std::string_view text = reader.text({path.view(), "%s", name});
      if (text.empty()) continue;
      const std::string_view state = reader.kept(text);
      out.vulnerabilities[out.vulnerability_count++] = {reader.kept(name), state};
    }
  }
}

void read_trip_points(Reader& reader, MachineFacts& out) {
  constexpr std::uint32_t kZones = 16;
  constexpr std::uint32_t kTripsPerZone = 12;
  for (std::uint32_t zone = 0; zone < kZones; ++zone) {
    for (std::uint32_t trip = 0; trip < kTripsPerZone; ++trip) {
      if (out.trip_point_count == MachineFacts::kMaxTripPoints) return;
      const auto text = [&](std::string_view what) {
        return reader.text(
            {reader.roots().sys, "class/thermal/thermal_zone%u/trip_point_%u_%s", zone, trip, what});
      };
      std::int64_t millicelsius = 0;
      if (!base::parse_i64(text("temp"), millicelsius)) break;
      out.trip_points[out.trip_point_count++] = {zone, reader.kept(text("type")), millicelsius};
    }
  }
}

bool names(std::string_view controllers, std::string_view wanted) {
  std::string_view name;
  while (next_item(controllers, name)) {
    if (name == wanted) return true;
  }
  return false;
}

// One level of a cgroup tree: `mount` below the sysfs root, `group`, `file`.
void consider(std::string_view mount, std::string_view group, std::string_view file, Reader& reader,
              MemoryLimit& least) {
  while (!group.empty() && group.front() == '/') group.remove_prefix(1);
  const proc::KernelPath path(reader.roots().sys, "%s/%s%s%s", mount, group,
                              group.empty() ? std::string_view() : std::string_view("/"), file);
  std::uint64_t bytes = 0;
  // v2 says "max" where there is no limit, v1 a number near 2^63.
  if (!base::parse_u64(reader.text(path), bytes) || bytes > INT64_MAX / 2) return;
  if (least.bytes == 0 || bytes < least.bytes) least = {bytes, reader.kept(path.view())};
}

void consider_all(std::string_view mount, std::string_view group, std::string_view file, Reader& reader,
                  MemoryLimit& least) {
  for (;;) {
    consider(mount, group, file, reader, least);
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
  constexpr std::string_view kMount2 = "fs/cgroup";
  constexpr std::string_view kFile2 = "memory.max";
  constexpr std::string_view kMount1 = "fs/cgroup/memory";
  constexpr std::string_view kFile1 = "memory.limit_in_bytes";
  MemoryLimit least;
  char groups[2048];
  Reader lines(roots, arena, {groups, sizeof groups});
  Reader reader(roots, arena, buffer);
  bool any = false;
  for (base::Scanner s(lines.proc("self/cgroup")); !s.done();) {
    base::Scanner line(s.line());  // hierarchy:controllers:path
    std::string_view id;
    std::string_view controllers;
    if (!line.until(':', id) || !line.until(':', controllers)) continue;
    if (controllers.empty()) {
      consider_all(kMount2, line.rest(), kFile2, reader, least);
      any = true;
    } else if (names(controllers, "memory")) {
      consider_all(kMount1, line.rest(), kFile1, reader, least);
      any = true;
    }
  }
  if (!any) {
    consider(kMount2, {}, kFile2, reader, least);
    consider(kMount1, {}, kFile1, reader, least);
  }
  return least;
}

void read_facts(const proc::Roots& roots, base::Arena& arena, base::ReadBuffer buffer, MachineFacts& out) {
  random_name(out.instance);
  Reader reader(roots, arena, buffer);
  out.boot_id = reader.kept(reader.proc("sys/kernel/random/boot_id").substr(0, 36));
  const std::string_view version = reader.proc("version");
  out.version_line = reader.kept(version.substr(0, version.find('(')));
  base::Scanner release(version);
  if (release.consume("Linux ")) release.consume("version ");
  out.kernel = reader.kept(release.word());
  const std::string_view cmdline = reader.proc("cmdline");
  out.cmdline_board = reader.kept(word_after(cmdline, "board="));
  out.cmdline_version = reader.kept(word_after(cmdline, "ver="));
  out.board = reader.kept_proc("device-tree/model");
  if (out.board.empty()) out.board = out.cmdline_board;
  out.governor = reader.kept(reader.cpufreq("governor"));
  out.cpufreq_min_khz = Reader::number(reader.cpufreq("min_freq"));
  out.cpufreq_max_khz = Reader::number(reader.cpufreq("max_freq"));
  out.machine.possible_cpus = cpu_list_end(reader.sys("devices/system/cpu/possible"));
  out.online_cpus = cpu_list_count(reader.sys("devices/system/cpu/online"));
  std::uint32_t listed = 0;
  std::uint32_t end = 0;
  for (base::Scanner s(reader.proc("stat")); !s.done();) {
    base::Scanner line(s.line());
    std::uint64_t cpu = 0;
    if (!line.consume("cpu") || line.peek() == ' ' || !line.u64(cpu) || cpu >= kMostCpus) continue;
    ++listed;
    end = static_cast<std::uint32_t>(cpu) + 1 > end ? static_cast<std::uint32_t>(cpu) + 1 : end;
  }
  if (out.machine.possible_cpus < end) out.machine.possible_cpus = end;
  if (out.machine.possible_cpus == 0) out.machine.possible_cpus = 1;
  if (out.online_cpus == 0) out.online_cpus = listed;
  out.conntrack_max = Reader::number(reader.proc("sys/net/netfilter/nf_conntrack_max"));
  base::Scanner meminfo(reader.proc("meminfo"));
  std::uint64_t total_kib = 0;
  if (meminfo.consume("MemTotal:") && meminfo.u64(total_kib)) out.memory_total = total_kib * 1024;
  out.memory_limit = read_memory_limit(roots, arena, buffer);
  read_trip_points(reader, out);
  out.watchdog = access(proc::KernelPath(roots.sys, "class/watchdog/watchdog0").c_str(), F_OK) == 0;
  if (out.watchdog) out.watchdog_identity = reader.kept_sys("class/watchdog/watchdog0/identity");
  read_vulnerabilities(reader, out);
}

}  // namespace mikroscope::agent
