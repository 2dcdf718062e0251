// /proc/slabinfo: kernel objects in use of the caches that tell something about a router. Expensive (about 1
// us a row), so at most once a second. The allocator is shared by all namespaces, so these are the machine's
// objects.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/slab_table.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr KeyColumn kCacheKey[] = {{"cache", true, false, "name of the slab cache"}};
constexpr Column kSlab[] = {
    {"active", Kind::gauge, Unit::none,
     "objects in use; SLUB counts per-CPU slabs as fully used, so it is an upper estimate that moves in "
     "steps"},
    {"limit", Kind::gauge, Unit::none, "most there may be (nf_conntrack only: nf_conntrack_max)"},
};

constexpr std::string_view kCaches[] = {
    kConntrackCache, "skbuff_head_cache", "skbuff_fclone_cache", "TCP",          "UDP",        "TCPv6",
    "UDPv6",         "sock_inode_cache",  "dst_cache",           "ip_dst_cache", "kmalloc-1k", "kmalloc-2k",
};

class SlabinfoFile final : public FileSource {
 public:
  SlabinfoFile() : FileSource("slabinfo", base::FileShape{256}) {}
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override {
    limit_.open(roots, buffer);
    return FileSource::open(roots, arena, buffer);
  }
  void bind(Layout& layout, State& state) override { slab_.bind(layout, state, kSlabSchema); }

 private:
  bool parse(std::string_view text, Tick& tick) override {
    if (!text.starts_with("slabinfo")) return false;
    bool conntrack = false;
    for (base::Scanner file(text); !file.done();) {
      const std::string_view line = file.line();
      for (const std::string_view cache : kCaches) {
        std::uint64_t active = 0;
        if (!parse_slab_row(line, cache, active)) continue;
        if (slab_.row(slab_.intern(cache))) slab_.set(kSlabActive, active);
        conntrack |= cache == kConntrackCache;
      }
    }
    if (conntrack && slab_.row(slab_.intern(kConntrackCache))) limit_.set(slab_, tick);
    return true;
  }

  ConntrackLimit limit_;
  TableWriter slab_;
};

}  // namespace

bool parse_slab_row(std::string_view line, std::string_view name, std::uint64_t& active) {
  if (line.empty() || line.front() != name.front()) return false;  // most rows are another's
  if (line.size() <= name.size() || line[name.size()] != ' ' || !line.starts_with(name)) return false;
  base::Scanner s(line.substr(name.size()));
  return s.u64(active);
}

constinit const Schema kSlabSchema{"slab", kCacheKey, kSlab, "kernel objects in use of some caches"};
constinit const SourceDef kSlabinfoSource{
    "slabinfo", "/proc/slabinfo", Group::slow, {1, 0, "budget"}, true, make_source<SlabinfoFile>,
};
std::uint32_t slab_rows(const Machine&) {
  return static_cast<std::uint32_t>(std::size(kCaches));
}

}  // namespace mikroscope::proc
