// /proc/stat: CPU time per core and in all, context switches, interrupts, forks, runnable and blocked tasks.
// Generated whole in one read. Offline CPUs have no line, so lines are keyed by their number. Kernels
// before 2.6.33 print fewer columns (steal from 2.6.11, guest 2.6.24, guest_nice 2.6.33): what is not printed
// is absent.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/load_columns.h"
#include "proc/sources/stat_columns.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kCpuColumns = 10;
constexpr std::size_t kLeastCpuColumns = 4;  // user nice system idle: less is no CPU line

constexpr Column ticks(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::ticks, help};
}

constexpr Column kCpu[kCpuColumns] = {
    ticks("user", "in user mode, guests included"),
    ticks("nice", "in user mode at low priority"),
    ticks("system", "in the kernel; on kernels without IRQ time accounting, hard interrupts too"),
    ticks("idle", "idle, not waiting for I/O"),
    ticks("iowait", "idle while a task of this CPU waited for I/O; can go backwards"),
    ticks("irq", "in hard interrupts"),
    ticks("softirq", "in soft interrupts"),
    ticks("steal", "taken by the hypervisor"),
    ticks("guest", "running a guest; also counted in user"),
    ticks("guest_nice", "running a niced guest; also counted in nice"),
};

constexpr KeyColumn kCpuKey[] = {{"cpu", false, false, "the kernel's CPU number"}};

constexpr Column kStat[] = {
    {"ctxt", Kind::counter, Unit::events, "context switches"},
    {"intr", Kind::counter, Unit::events, "interrupts serviced, of all kinds"},
    {"forks", Kind::counter, Unit::events, "processes and threads created"},
    {"irq_err", Kind::counter, Unit::events, "spurious or failed interrupts (row Err of /proc/interrupts)",
     Width::bits32},
    {"irq_mis", Kind::counter, Unit::events, "misrouted IO-APIC interrupts (row MIS of /proc/interrupts)",
     Width::bits32},
};

// The numbers of one CPU line. At most kCpuColumns are kept: newer kernels may append more.
struct CpuTimes {
  std::uint64_t value[kCpuColumns];
  std::size_t count = 0;
};

bool parse_times(base::Scanner& line, CpuTimes& out) {
  while (out.count < kCpuColumns && line.u64(out.value[out.count])) ++out.count;
  return out.count >= kLeastCpuColumns;
}

class StatFile final : public FileSource {
 public:
  StatFile() : FileSource("stat") {}

  void bind(Layout& layout, State& state) override {
    cpu_.bind(layout, state, kCpuSchema);
    total_.bind(layout, state, kCpuTotalSchema);
    stat_.bind(layout, state, kStatSchema);
    load_.bind(layout, state, kLoadSchema);
  }

 private:
  bool parse(std::string_view text, Tick&) override {
    // Checked before anything is set: a file without a CPU line is not /proc/stat.
    if (!base::Scanner(text).consume("cpu")) return false;
    bool any_cpu = false;
    base::Scanner file(text);
    while (!file.done()) {
      if (file.consume("cpu")) {
        base::Scanner line(file.line());
        any_cpu |= cpu_line(line);
      } else if (file.consume("ctxt ")) {
        number(file, stat_, kCtxt);
      } else if (file.consume("intr ")) {
        number(file, stat_, kIntr);  // the sum; the numbers after it are per IRQ and are never scanned
      } else if (file.consume("processes ")) {
        number(file, stat_, kForks);
      } else if (file.consume("procs_running ")) {
        number(file, load_, kLoadProcsRunning);
      } else if (file.consume("procs_blocked ")) {
        number(file, load_, kLoadProcsBlocked);
      } else {
        file.line();
      }
    }
    if (!any_cpu) {
      total_.unset(0, kCpuColumns);
      stat_.unset(kCtxt, kForks + 1);
      load_.unset(kLoadProcsRunning, 2);
    }
    return any_cpu;
  }

  // True where the line is that of a core.
  bool cpu_line(base::Scanner& line) {
    const bool core = line.peek() != ' ';
    std::uint64_t id = 0;
    CpuTimes times;
    if (core && (!line.u64(id) || id > INT32_MAX)) return false;
    if (!parse_times(line, times)) return false;
    TableWriter& table = core ? cpu_ : total_;
    if (core) {
      if (!cpu_.row(static_cast<KeyPart>(id))) return false;
    } else {
      total_.single();
    }
    for (std::uint32_t c = 0; c < times.count; ++c) table.set(c, times.value[c]);
    return core;
  }

  static void number(base::Scanner& file, TableWriter& table, std::uint32_t column) {
    std::uint64_t value = 0;
    table.single();
    if (file.u64(value)) table.set(column, value);
    file.line();
  }

  TableWriter cpu_;
  TableWriter total_;
  TableWriter stat_;
  TableWriter load_;
};

}  // namespace

constinit const Schema kCpuSchema{"cpu", kCpuKey, kCpu, "CPU time of each core"};
constinit const Schema kCpuTotalSchema{
    "cpu_total", {}, kCpu, "CPU time of all cores, with that of cores now offline"};
constinit const Schema kStatSchema{"stat", {}, kStat, "system-wide event counts"};
constinit const SourceDef kStatSource{
    "stat", "/proc/stat", Group::counters, {}, false, make_source<StatFile>,
};

}  // namespace mikroscope::proc
