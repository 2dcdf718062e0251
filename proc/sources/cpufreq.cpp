// /sys/devices/system/cpu/cpuN/cpufreq: the clock of each core. CPUs are listed, since numbers have holes,
// and the file of a CPU that goes offline is closed and looked for again. Where every governor is "userspace"
// the clock can not move by itself, and once a second is enough; so it is where there are many cores to read.

#include "base/text.h"
#include "proc/sources/cpu_ids.h"
#include "proc/sources/numbered_entries.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kManyCores = 16;
constexpr std::size_t kMaxCores = 256;  // descriptors; the cores above stay without a row

constexpr KeyColumn kCpuKey[] = {{"cpu", false, false, "the kernel's CPU number"}};
constexpr Column kCpufreq[] = {
    {"khz", Kind::gauge, Unit::kilohertz, "clock now (scaling_cur_freq)"},
    {"max_khz", Kind::gauge, Unit::kilohertz, "highest clock of the core (cpuinfo_max_freq)"},
};
enum CpufreqColumn : std::uint32_t { kKhz, kMaxKhz };

struct Core {
  std::uint16_t cpu = 0;
  std::int64_t max_khz = 0;
  SmallFile current;
};

class CpufreqFiles final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override {
    sys_ = roots.sys;
    std::uint16_t numbers[kMaxCores];
    const std::size_t found = numbered_entries(KernelPath(sys_, "devices/system/cpu"), "cpu", numbers);
    if (found == 0) return ReadStatus::absent;
    if (cores_ == nullptr) {
      cores_ = arena.make<Core>(found);
      if (cores_ == nullptr) return ReadStatus::failed;
      count_ = found;
      for (std::size_t i = 0; i < found; ++i) cores_[i].cpu = numbers[i];
    }
    scan(buffer);
    for (Core& core : std::span(cores_, count_)) {
      std::uint64_t khz = 0;
      if (core.current.read_u64(buffer, khz)) return ReadStatus::ok;
    }
    return ReadStatus::absent;
  }
  void bind(Layout& layout, State& state) override { cpufreq_.bind(layout, state, kCpufreqSchema); }

  ReadStatus read(Tick& tick) override {
    if (minute_.due(tick.now_boot_ns)) scan(tick.buffer);
    bool any = false;
    bool any_open = false;
    for (Core& core : std::span(cores_, count_)) {
      any_open |= static_cast<bool>(core.current);
      std::uint64_t khz = 0;
      if (!core.current.read_u64(tick.buffer, khz) || !cpufreq_.row(core.cpu)) continue;
      cpufreq_.set(kKhz, khz);
      if (core.max_khz > 0) cpufreq_.set_gauge(kMaxKhz, core.max_khz);
      any = true;
    }
    return any ? ReadStatus::ok : any_open ? ReadStatus::failed : ReadStatus::absent;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    for (const Core& core : std::span(cores_, count_)) {
      if (core.current) visit(context, path(core, kCurrent).view());
    }
  }

  Cadence cadence(const Cadence& registered) const override {
    if (fixed_) return {1, 0, "policy"};
    if (count_ > kManyCores) return {1, 0, "budget"};
    return registered;
  }

 private:
  static constexpr std::string_view kCurrent = "scaling_cur_freq";
  KernelPath path(const Core& core, std::string_view file) const {
    return KernelPath(sys_, "devices/system/cpu/cpu%u/cpufreq/%s", core.cpu, file);
  }

  void scan(base::ReadBuffer buffer) {
    bool any = false;
    bool fixed = true;
    for (Core& core : std::span(cores_, count_)) {
      if (!core.current && !core.current.open_unread(path(core, kCurrent))) continue;
      any = true;
      if (!read_once_i64(path(core, "cpuinfo_max_freq"), buffer, core.max_khz)) core.max_khz = 0;
      std::string_view text;
      fixed &= read_once(path(core, "scaling_governor"), buffer, text) && base::trim(text) == "userspace";
    }
    fixed_ = any && fixed;
  }

  std::string_view sys_;
  Core* cores_ = nullptr;
  std::size_t count_ = 0;
  bool fixed_ = false;
  EveryMinute minute_;
  TableWriter cpufreq_;
};

}  // namespace

constinit const Schema kCpufreqSchema{"cpufreq", kCpuKey, kCpufreq, "clock of each core; of the first 256"};
constinit const SourceDef kCpufreqSource{
    "cpufreq",      "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq",
    Group::devices, {},
    false,          make_source<CpufreqFiles>,
};

}  // namespace mikroscope::proc
