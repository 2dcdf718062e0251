// /proc/meminfo: levels of memory in kB. By name, since lines differ between kernels (MemAvailable is
// from 3.14, and some print a table of another shape first). Generated whole in one read.

#include "base/names.h"
#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/key_lines.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr Column kb(std::string_view name, std::string_view help) {
  return {name, Kind::gauge, Unit::kilobytes, help};
}

constexpr Column kMem[] = {
    kb("total_kb", "usable memory (MemTotal)"),
    kb("free_kb", "unused memory (MemFree)"),
    kb("available_kb",
       "what could be had without swapping, as the kernel estimates it (MemAvailable, from 3.14)"),
    kb("buffers_kb", "block device cache (Buffers)"),
    kb("cached_kb", "page cache, with shmem_kb (Cached)"),
    kb("dirty_kb", "waiting to be written (Dirty)"),
    kb("shmem_kb", "shared memory and tmpfs (Shmem)"),
    kb("slab_kb", "kernel objects (Slab)"),
    kb("sreclaimable_kb", "the part of slab_kb that can be freed (SReclaimable)"),
    kb("sunreclaim_kb", "the part of slab_kb that can not (SUnreclaim)"),
    kb("committed_kb", "promised to processes (Committed_AS)"),
    kb("writeback_kb", "being written now (Writeback)"),
    kb("anon_kb", "anonymous pages of processes (AnonPages)"),
    kb("mapped_kb", "mapped files (Mapped)"),
    kb("kernel_stack_kb", "stacks of threads in the kernel (KernelStack)"),
    kb("page_tables_kb", "page tables (PageTables)"),
    kb("commit_limit_kb", "limit of committed_kb under strict accounting (CommitLimit)"),
    kb("active_kb", "recently used (Active)"),
    kb("inactive_kb", "first to be reclaimed (Inactive)"),
    kb("swap_total_kb", "swap space (SwapTotal)"),
    kb("swap_free_kb", "unused swap space (SwapFree)"),
};

// In the order of the columns.
constexpr char kNames[] =
    "MemTotal\0MemFree\0MemAvailable\0Buffers\0Cached\0Dirty\0Shmem\0Slab\0SReclaimable\0SUnreclaim\0"
    "Committed_AS\0Writeback\0AnonPages\0Mapped\0KernelStack\0PageTables\0CommitLimit\0Active\0Inactive\0"
    "SwapTotal\0SwapFree\0";
constexpr std::size_t kColumns = std::size(kMem);
static_assert(base::name_count(kNames) == kColumns);

int wanted(std::string_view name) {
  static_assert(KeyLines::kUnwanted == -1);
  return base::name_index(kNames, name);
}

class MeminfoFile final : public FileSource {
 public:
  MeminfoFile() : FileSource("meminfo") {}
  void bind(Layout& layout, State& state) override { mem_.bind(layout, state, kMemSchema); }

 private:
  bool parse(std::string_view text, Tick& tick) override {
    std::uint64_t values[kColumns];
    const std::uint64_t seen = lines_.read(text, values, tick.until_zero);
    mem_.single();
    for (std::uint32_t c = 0; c < kColumns; ++c) {
      if ((seen >> c & 1) != 0) mem_.set(c, values[c]);
    }
    return seen != 0;
  }

  KeyLines lines_{':', wanted};
  TableWriter mem_;
};

}  // namespace

constinit const Schema kMemSchema{"mem", {}, kMem, "memory of the machine"};
constinit const SourceDef kMeminfoSource{
    "meminfo", "/proc/meminfo", Group::memory, {}, false, make_source<MeminfoFile>,
};

}  // namespace mikroscope::proc
