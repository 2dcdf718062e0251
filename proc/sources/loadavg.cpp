// /proc/loadavg: the three load averages and the threads of the whole machine (also inside a PID namespace).

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/load_columns.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr int kDecimals = 2;

constexpr Column average(std::string_view name, std::string_view help) {
  return {name, Kind::gauge, Unit::none, help, Width::bits64, kDecimals};
}

constexpr Column kLoad[] = {
    average("load1", "load average over 1 minute"),
    average("load5", "load average over 5 minutes"),
    average("load15", "load average over 15 minutes"),
    {"running", Kind::gauge, Unit::none, "threads that could run (/proc/loadavg)"},
    {"threads", Kind::gauge, Unit::none, "threads that exist"},
    {"procs_running", Kind::gauge, Unit::none, "tasks that run or could (/proc/stat)"},
    {"procs_blocked", Kind::gauge, Unit::none, "tasks that wait for I/O (/proc/stat)"},
};

class LoadavgFile final : public FileSource {
 public:
  LoadavgFile() : FileSource("loadavg") {}
  void bind(Layout& layout, State& state) override { load_.bind(layout, state, kLoadSchema); }

 private:
  bool parse(std::string_view text, Tick&) override {
    base::Scanner s(text);
    std::int64_t averages[3] = {};
    for (std::int64_t& average : averages) {
      if (!s.decimal(kDecimals, average)) return false;
    }
    load_.single();
    for (std::uint32_t i = 0; i < 3; ++i) load_.set_gauge(kLoad1 + i, averages[i]);
    std::uint64_t running = 0;
    std::uint64_t threads = 0;
    if (s.u64(running) && s.consume('/') && s.u64(threads)) {
      load_.set(kLoadRunning, running);
      load_.set(kLoadThreads, threads);
    }
    return true;
  }

  TableWriter load_;
};

}  // namespace

constinit const Schema kLoadSchema{"load", {}, kLoad, "load averages and threads"};
constinit const SourceDef kLoadavgSource{
    "loadavg", "/proc/loadavg", Group::memory, {}, false, make_source<LoadavgFile>,
};

}  // namespace mikroscope::proc
