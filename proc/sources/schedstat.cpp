// /proc/schedstat: how long tasks ran and waited for each CPU, in nanoseconds. Versions 15 and later have
// nine numbers per CPU, of which the last three are meant here; earlier layouts differ and are not read.
// Offline CPUs have no line.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::uint64_t kLeastVersion = 15;
constexpr std::size_t kNumbers = 9;
constexpr std::size_t kFirstWanted = 6;

constexpr KeyColumn kCpuKey[] = {{"cpu", false, false, "the kernel's CPU number"}};
constexpr Column kSched[] = {
    {"run_ns", Kind::counter, Unit::nanoseconds, "time that tasks ran"},
    {"wait_ns", Kind::counter, Unit::nanoseconds, "time that runnable tasks waited, summed over tasks"},
    {"timeslices", Kind::counter, Unit::events, "times a task was put on the CPU", Width::native},
};

class SchedstatFile final : public FileSource {
 public:
  SchedstatFile() : FileSource("schedstat", base::kUntilZero) {}
  void bind(Layout& layout, State& state) override { sched_.bind(layout, state, kSchedSchema); }

 private:
  bool parse(std::string_view text, Tick&) override {
    base::Scanner file(text);
    std::uint64_t version = 0;
    if (!file.consume("version ") || !file.u64(version) || version < kLeastVersion) return false;
    bool any = false;
    while (!file.done()) {
      base::Scanner line(file.line());
      std::uint64_t cpu = 0;
      std::uint64_t number[kNumbers];
      if (!line.consume("cpu") || !base::is_digit(line.peek()) || !line.u64(cpu) || cpu > INT32_MAX) continue;
      std::size_t count = 0;
      while (count < kNumbers && line.u64(number[count])) ++count;
      if (count < kNumbers || !sched_.row(static_cast<KeyPart>(cpu))) continue;
      for (std::uint32_t c = 0; c < std::size(kSched); ++c) sched_.set(c, number[kFirstWanted + c]);
      any = true;
    }
    return any;
  }

  TableWriter sched_;
};

}  // namespace

constinit const Schema kSchedSchema{"sched", kCpuKey, kSched, "running and waiting of tasks on each core"};
constinit const SourceDef kSchedstatSource{
    "schedstat", "/proc/schedstat", Group::counters, {}, false, make_source<SchedstatFile>,
};

}  // namespace mikroscope::proc
