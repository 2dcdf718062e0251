// What the agent itself costs: CPU time, resident memory, and what its control group grants and takes.
// Control groups of version 2 are found below /sys/fs/cgroup at the path that /proc/self/cgroup names, or at
// the top where the process sees its own group as the top; version 1 below /sys/fs/cgroup/{memory,cpu} in the
// same way. A group that is the whole machine's (the top of version 1, without a limit) says nothing about
// the agent and is not read.

#include <sys/auxv.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "proc/self_columns.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr Column events(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::events, help};
}
constexpr Column kSelf[] = {
    {"cpu_us", Kind::counter, Unit::microseconds, "CPU time of the agent"},
    {"rss", Kind::gauge, Unit::bytes, "resident memory of the agent"},
    {"cgroup_mem", Kind::gauge, Unit::bytes, "memory charged to its control group"},
    {"cgroup_mem_max", Kind::gauge, Unit::bytes, "limit of its control group; absent where there is none"},
    events("throttled", "periods in which the control group ran out of its CPU quota"),
    {"throttled_us", Kind::counter, Unit::microseconds, "time it was held back for that"},
    events("oom_kill", "processes of the control group killed for want of memory"),
    {"wake_ns", Kind::gauge, Unit::nanoseconds, "how late the agent woke up for this tick"},
    {"read_ns", Kind::gauge, Unit::nanoseconds, "time that reading this tick took"},
    events("missed", "ticks that were not taken, since start"),
    events("kmsg_dropped", "kernel log records lost before they could be read, or not understood"),
    events("rows_refused", "rows for which a table had no room"),
    events("read_errors", "readings of a source that failed"),
};
static_assert(std::size(kSelf) == kSelfReadErrors + 1);

constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;  // version 1 prints almost 2^63 for "none"

// The item `name` of a comma-separated list.
bool lists(std::string_view list, std::string_view name) {
  base::Scanner s(list);
  for (std::string_view item; s.until(',', item);) {
    if (item == name) return true;
  }
  return s.rest() == name;
}

// The number in the line "key number".
bool value_of(std::string_view text, std::string_view key, std::uint64_t& out) {
  for (base::Scanner file(text); !file.done();) {
    base::Scanner line(file.line());
    if (line.consume(key) && line.consume(' ') && line.u64(out)) return true;
  }
  return false;
}

class SelfFiles final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena&, base::ReadBuffer buffer) override {
    proc_ = roots.proc;
    sys_ = roots.sys;
    page_bytes_ = getauxval(AT_PAGESZ);
    statm_.open(statm_path(), buffer);
    find_groups(buffer);
    return ReadStatus::ok;  // the process's own CPU time needs no file
  }
  void bind(Layout& layout, State& state) override { self_.bind(layout, state, kSelfSchema); }

  ReadStatus read(Tick& tick) override {
    self_.single();
    self_.set(kSelfCpuUs, static_cast<std::uint64_t>(base::process_cpu_ns()) / 1000);
    std::string_view text;
    if (statm_.read(tick.buffer, text)) resident(text);
    if (cpu_stat_.read(tick.buffer, text)) throttling(text);
    std::uint64_t bytes = 0;
    if (memory_.read_u64(tick.buffer, bytes)) self_.set(kSelfCgroupMem, bytes);
    std::uint64_t kills = 0;
    if (oom_.read(tick.buffer, text) && value_of(text, "oom_kill", kills)) self_.set(kSelfOomKill, kills);
    if (minute_.due(tick.now_boot_ns)) read_limit(tick.buffer);
    if (limit_ > 0) self_.set_gauge(kSelfCgroupMemMax, limit_);
    return ReadStatus::ok;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    if (statm_) visit(context, statm_path().view());
    if (cpu_stat_) visit(context, path(cpu_group_, "cpu.stat").view());
    if (memory_) visit(context, path(memory_group_, current_name()).view());
    if (oom_) visit(context, path(memory_group_, events_name()).view());
  }

 private:
  KernelPath statm_path() const { return KernelPath(proc_, "self/statm"); }
  KernelPath path(std::string_view group, std::string_view file) const {
    return KernelPath(sys_, "%s/%s", group, file);
  }
  const char* current_name() const { return version2_ ? "memory.current" : "memory.usage_in_bytes"; }
  const char* events_name() const { return version2_ ? "memory.events" : "memory.oom_control"; }

  void resident(std::string_view text) {
    base::Scanner s(text);
    std::uint64_t size = 0;
    std::uint64_t pages = 0;
    if (s.u64(size) && s.u64(pages)) self_.set(kSelfRss, pages * page_bytes_);
  }

  void throttling(std::string_view text) {
    std::uint64_t value = 0;
    if (value_of(text, "nr_throttled", value)) self_.set(kSelfThrottled, value);
    if (value_of(text, "throttled_usec", value)) {
      self_.set(kSelfThrottledUs, value);
    } else if (value_of(text, "throttled_time", value)) {
      self_.set(kSelfThrottledUs, value / 1000);
    }
  }

  // 0::/path is version 2; 4:memory:/path and 1:cpu,cpuacct:/path are version 1.
  void find_groups(base::ReadBuffer buffer) {
    char paths[3][kMaxPath] = {};  // version 2, memory, cpu
    version2_ = true;
    std::string_view text;
    if (!read_once(KernelPath(proc_, "self/cgroup"), buffer, text)) text = {};
    for (base::Scanner file(text); !file.done();) {
      base::Scanner line(file.line());
      std::string_view id;
      std::string_view controllers;
      if (!line.until(':', id) || !line.until(':', controllers) || line.rest().size() >= kMaxPath) continue;
      const int which = controllers.empty()            ? 0
                        : lists(controllers, "memory") ? 1
                        : lists(controllers, "cpu")    ? 2
                                                       : -1;
      if (which > 0) version2_ = false;
      // A group outside what this process can see is printed as /../..: the top is all there is then.
      if (which >= 0 && line.rest() != "/" && line.rest().find("..") == std::string_view::npos)
        line.rest().copy(paths[which], kMaxPath - 1);
    }
    if (version2_) {
      if (!open_version2(paths[0], buffer)) open_version2("", buffer);
    } else {
      // Where the group's path is not there, the top of the mount is that group: a container's view.
      if (!open_memory1(paths[1], buffer, paths[1][0] == '\0')) open_memory1("", buffer, paths[1][0] == '\0');
      if (!open_cpu("fs/cgroup/cpu", paths[2], buffer)) open_cpu("fs/cgroup/cpu", "", buffer);
    }
    read_limit(buffer);
  }

  bool open_version2(const char* path, base::ReadBuffer buffer) {
    if (!open_cpu("fs/cgroup", path, buffer)) return false;
    keep(memory_group_, "fs/cgroup", path);
    open_in_memory_group("memory.max", buffer);
    return true;
  }

  bool open_memory1(const char* path, base::ReadBuffer buffer, bool perhaps_the_machine) {
    keep(memory_group_, "fs/cgroup/memory", path);
    open_in_memory_group("memory.limit_in_bytes", buffer);
    read_limit(buffer);
    if (perhaps_the_machine && limit_ <= 0) {
      memory_.close();
      oom_.close();
      limit_file_.close();
    }
    return static_cast<bool>(memory_);
  }

  bool open_cpu(const char* hierarchy, const char* group, base::ReadBuffer buffer) {
    keep(cpu_group_, hierarchy, group);
    return cpu_stat_.open(path(cpu_group_, "cpu.stat"), buffer) == ReadStatus::ok;
  }

  void open_in_memory_group(const char* limit, base::ReadBuffer buffer) {
    memory_.open(path(memory_group_, current_name()), buffer);
    oom_.open(path(memory_group_, events_name()), buffer);
    limit_file_.open(path(memory_group_, limit), buffer);
  }

  static void keep(char (&group)[kMaxPath], const char* hierarchy, const char* path) {
    base::Writer out(group, kMaxPath - 1);
    out.print("%s%s", hierarchy, path);
    group[out.overflow() ? 0 : out.size()] = '\0';
  }

  void read_limit(base::ReadBuffer buffer) {
    std::int64_t bytes = 0;
    limit_ = limit_file_.read_i64(buffer, bytes) && bytes < kNoLimit ? bytes : 0;  // "max" is no number
  }

  std::string_view proc_;
  std::string_view sys_;
  std::uint64_t page_bytes_ = 4096;
  bool version2_ = true;
  std::int64_t limit_ = 0;
  SmallFile statm_;
  SmallFile cpu_stat_;
  SmallFile memory_;
  SmallFile oom_;
  SmallFile limit_file_;
  char cpu_group_[kMaxPath] = {};
  char memory_group_[kMaxPath] = {};
  EveryMinute minute_;
  TableWriter self_;
};

}  // namespace

constinit const Schema kSelfSchema{"self", {}, kSelf, "the agent's own cost and losses"};
constinit const SourceDef kSelfSource{
    "self",      "the agent's own CPU time, memory and control group",
    Group::self, {},
    false,       make_source<SelfFiles>,
};

}  // namespace mikroscope::proc
