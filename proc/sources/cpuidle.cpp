// /sys/devices/system/cpu/cpuN/cpuidle/stateK: how long and how often each core was in each idle state. The
// kernel counts a stay when it ends, so a long one arrives at once, with the tick in which the core wakes up.
// Two files per state, so with many of them once a second.

#include "base/text.h"
#include "proc/sources/numbered_entries.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxStates = 256;  // of all cores; each keeps two descriptors
constexpr std::size_t kManyStates = 32;
constexpr std::size_t kStatesPerCpu = 16;

constexpr KeyColumn kKeys[] = {
    {"cpu", false, false, "the kernel's CPU number"},
    {"state", true, false, "the state's name; name:K where an earlier state of the CPU has the same"},
};
constexpr Column kCpuidle[] = {
    {"residency_us", Kind::counter, Unit::microseconds, "time in the state, counted when it is left"},
    {"entries", Kind::counter, Unit::events, "times the state was entered"},
};

struct IdleState {
  std::uint16_t cpu = 0;
  std::uint16_t number = 0;
  KeyPart name = -1;  // looked up at its first reading
  SmallFile time;
  SmallFile usage;
};

class CpuidleFiles final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer) override {
    sys_ = roots.sys;
    if (states_ == nullptr && !list(arena)) return ReadStatus::failed;
    scan();
    for (const IdleState& state : std::span(states_, count_)) {
      if (state.time) return ReadStatus::ok;
    }
    return ReadStatus::absent;
  }
  void bind(Layout& layout, State& state) override { cpuidle_.bind(layout, state, kCpuidleSchema); }

  ReadStatus read(Tick& tick) override {
    if (minute_.due(tick.now_boot_ns)) scan();
    bool any = false;
    bool any_open = false;
    for (IdleState& state : std::span(states_, count_)) {
      any_open |= state.time || state.usage;
      std::uint64_t us = 0;
      std::uint64_t entries = 0;
      const bool has_time = state.time.read_u64(tick.buffer, us);
      const bool has_usage = state.usage.read_u64(tick.buffer, entries);
      if (!has_time && !has_usage) continue;
      if (state.name < 0) state.name = name(state, tick.buffer);
      if (!cpuidle_.row(state.cpu, state.name)) continue;
      if (has_time) cpuidle_.set(0, us);
      if (has_usage) cpuidle_.set(1, entries);
      any = true;
    }
    return any ? ReadStatus::ok : any_open ? ReadStatus::failed : ReadStatus::absent;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    for (const IdleState& state : std::span(states_, count_)) {
      if (state.time) visit(context, path(state, "time").view());
      if (state.usage) visit(context, path(state, "usage").view());
    }
  }

  Cadence cadence(const Cadence& registered) const override {
    return count_ > kManyStates ? Cadence{1, 0, "budget"} : registered;
  }

 private:
  KernelPath path(const IdleState& state, std::string_view file) const {
    return KernelPath(sys_, "devices/system/cpu/cpu%u/cpuidle/state%u/%s", state.cpu, state.number, file);
  }

  // Which states there are, once: a driver's states do not change while it runs. False: the arena is full.
  bool list(base::Arena& arena) {
    std::uint16_t cpus[kMaxStates];
    const std::size_t cpu_count = numbered_entries(KernelPath(sys_, "devices/system/cpu"), "cpu", cpus);
    std::size_t total = 0;
    std::uint16_t states[kStatesPerCpu];
    for (const std::uint16_t cpu : std::span(cpus, cpu_count)) total += states_of(cpu, states);
    if (total == 0) return true;
    if (total > kMaxStates) total = kMaxStates;
    states_ = arena.make<IdleState>(total);
    if (states_ == nullptr) return false;
    for (const std::uint16_t cpu : std::span(cpus, cpu_count)) {
      const std::size_t found = states_of(cpu, states);
      for (std::size_t i = 0; i < found && count_ < total; ++i) {
        states_[count_].cpu = cpu;
        states_[count_++].number = states[i];
      }
    }
    return true;
  }
  std::size_t states_of(std::uint16_t cpu, std::span<std::uint16_t> out) const {
    return numbered_entries(KernelPath(sys_, "devices/system/cpu/cpu%u/cpuidle", cpu), "state", out);
  }

  void scan() {
    for (IdleState& state : std::span(states_, count_)) {
      if (!state.time) state.time.open_unread(path(state, "time"));
      if (!state.usage) state.usage.open_unread(path(state, "usage"));
    }
  }

  KeyPart name(const IdleState& state, base::ReadBuffer buffer) {
    std::string_view text;
    if (!read_once(path(state, "name"), buffer, text) || base::trim(text).empty()) {
      return cpuidle_.intern_print("state%u", state.number);
    }
    const KeyPart key = cpuidle_.intern(base::trim(text));
    for (const IdleState& other : std::span(states_, count_)) {
      if (&other != &state && other.cpu == state.cpu && other.name == key) {
        return cpuidle_.intern_print("%s:%u", base::trim(text), state.number);
      }
    }
    return key;
  }

  std::string_view sys_;
  IdleState* states_ = nullptr;
  std::size_t count_ = 0;
  EveryMinute minute_;
  TableWriter cpuidle_;
};

}  // namespace

constinit const Schema kCpuidleSchema{"cpuidle", kKeys, kCpuidle,
                                      "idle states of each core; the first 256 of the machine"};
constinit const SourceDef kCpuidleSource{
    "cpuidle",       "/sys/devices/system/cpu/cpu*/cpuidle/state*/{time,usage}",
    Group::counters, {},
    false,           make_source<CpuidleFiles>,
};
std::uint32_t cpuidle_rows(const Machine&) {
  return kMaxStates;
}

}  // namespace mikroscope::proc
