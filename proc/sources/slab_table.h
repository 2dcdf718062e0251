// What the two readers of /proc/slabinfo share: the table slab and the limit of connection tracking.
#pragma once

#include "proc/sources/small_file.h"

namespace mikroscope::proc {

enum SlabColumn : std::uint32_t { kSlabActive, kSlabLimit };

constexpr std::string_view kConntrackCache = "nf_conntrack";

// The number of objects in use of a row of /proc/slabinfo whose cache is exactly `name`. False: another row.
bool parse_slab_row(std::string_view line, std::string_view name, std::uint64_t& active);

// sys/net/netfilter/nf_conntrack_max, which is global although the count beside it is not; read again once a
// minute.
class ConntrackLimit {
 public:
  void open(const Roots& roots, base::ReadBuffer buffer) {
    root_ = roots.proc;
    look(buffer);
  }
  // Sets the limit in the selected row of `slab` where it is known. The text in tick.buffer is overwritten.
  void set(TableWriter& slab, Tick& tick) {
    if (minute_.due(tick.now_boot_ns)) look(tick.buffer);
    if (limit_ > 0) slab.set_gauge(kSlabLimit, limit_);
  }

 private:
  void look(base::ReadBuffer buffer) {
    if (!read_once_i64(KernelPath(root_, "sys/net/netfilter/nf_conntrack_max"), buffer, limit_)) limit_ = 0;
  }

  std::string_view root_;
  std::int64_t limit_ = 0;
  EveryMinute minute_;
};

}  // namespace mikroscope::proc
