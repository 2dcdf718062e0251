// /proc/vmstat: the events of page allocation and reclaim, and five levels. Some events are kept per zone
// (pgalloc_dma, before 4.8 also pgscan_kswapd_normal, from 4.10 allocstall_movable); their sum over zones is
// what is shown. One record per line, some 130 to 200 lines.

#include "base/names.h"
#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/key_lines.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr Column event(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::events, help, Width::native};
}
constexpr Column pages(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::pages, help, Width::native};
}
constexpr Column level(std::string_view name, std::string_view help) {
  return {name, Kind::gauge, Unit::pages, help};
}

constexpr Column kVm[] = {
    event("pgfault", "page faults"),
    event("pgmajfault", "page faults that needed I/O"),
    pages("pgscan_kswapd", "scanned by kswapd"),
    pages("pgscan_direct", "scanned by tasks that had to reclaim memory themselves"),
    pages("pgsteal_kswapd", "reclaimed by kswapd"),
    pages("pgsteal_direct", "reclaimed by tasks that had to do it themselves"),
    pages("pgalloc", "allocated, sum over zones"),
    pages("pgfree", "freed"),
    event("allocstall", "allocations that had to reclaim first, sum over zones"),
    event("compact_stall", "allocations that had to compact memory first"),
    event("oom_kill", "processes killed for want of memory (from 4.13)"),
    pages("pswpin", "read from swap"),
    pages("pswpout", "written to swap"),
};
constexpr Column kLevels[] = {
    level("nr_free_pages", "free"),
    level("nr_dirty", "waiting to be written"),
    level("nr_writeback", "being written"),
    level("nr_slab_reclaimable", "kernel objects that can be freed"),
    level("nr_slab_unreclaimable", "kernel objects that can not"),
};
constexpr std::size_t kEvents = std::size(kVm);
constexpr std::size_t kPlaces = kEvents + std::size(kLevels);

// The part of `name` after `stem`, as a zone; only these: pgscan_direct_throttle is another thing.
bool is_zone(std::string_view tail) {
  return base::name_index("_dma\0_dma32\0_normal\0_high\0_movable\0_device\0", tail) >= 0;
}

int wanted(std::string_view name) {
  for (std::size_t i = 0; i < kEvents; ++i) {
    if (!name.starts_with(kVm[i].name)) continue;
    const std::string_view tail = name.substr(kVm[i].name.size());
    if (tail.empty() || is_zone(tail)) return static_cast<int>(i);
  }
  for (std::size_t i = 0; i < std::size(kLevels); ++i) {
    if (kLevels[i].name == name) return static_cast<int>(kEvents + i);
  }
  return KeyLines::kUnwanted;
}

class VmstatFile final : public FileSource {
 public:
  VmstatFile() : FileSource("vmstat", base::FileShape{128}) {}
  void bind(Layout& layout, State& state) override {
    vm_.bind(layout, state, kVmSchema);
    levels_.bind(layout, state, kVmLevelSchema);
  }

 private:
  bool parse(std::string_view text, Tick& tick) override {
    std::uint64_t values[kPlaces];
    const std::uint64_t seen = lines_.read(text, values, tick.until_zero);
    vm_.single();
    levels_.single();
    for (std::uint32_t i = 0; i < kPlaces; ++i) {
      if ((seen >> i & 1) == 0) continue;
      // Zones wrap one by one at the kernel's word size; cut to that size, their sum wraps like a single
      // counter.
      if (i < kEvents) {
        vm_.set(i, static_cast<unsigned long>(values[i]));
      } else {
        levels_.set(static_cast<std::uint32_t>(i - kEvents), values[i]);
      }
    }
    return seen != 0;
  }

  KeyLines lines_{' ', wanted};
  TableWriter vm_;
  TableWriter levels_;
};

}  // namespace

constinit const Schema kVmSchema{"vm", {}, kVm, "events of virtual memory"};
constinit const Schema kVmLevelSchema{"vm_level", {}, kLevels, "pages in some states"};
constinit const SourceDef kVmstatSource{
    "vmstat", "/proc/vmstat", Group::memory, {}, false, make_source<VmstatFile>,
};

}  // namespace mikroscope::proc
