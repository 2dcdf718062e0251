// /proc/buddyinfo: free memory by block size, which shows fragmentation. Blocks of order n have 2^n pages.
// One record is a node with all its zones.

#include "proc/file_source.h"
#include "proc/sources/zone_line.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::uint32_t kOrders = 11;  // shown one by one; kernels with large pages have some more
constexpr std::uint32_t kMostOrders = 32;

constexpr Column blocks(std::string_view name) {
  return {name, Kind::gauge, Unit::blocks, "free blocks of 2^order pages"};
}
constexpr Column kBuddy[] = {
    {"free_pages", Kind::gauge, Unit::pages, "free, in blocks of all orders"},
    blocks("order_0"),
    blocks("order_1"),
    blocks("order_2"),
    blocks("order_3"),
    blocks("order_4"),
    blocks("order_5"),
    blocks("order_6"),
    blocks("order_7"),
    blocks("order_8"),
    blocks("order_9"),
    blocks("order_10"),
};
static_assert(std::size(kBuddy) == kOrders + 1);

class BuddyinfoFile final : public FileSource {
 public:
  BuddyinfoFile() : FileSource("buddyinfo", base::FileShape{1024}) {}
  void bind(Layout& layout, State& state) override { buddy_.bind(layout, state, kBuddySchema); }

 private:
  bool parse(std::string_view text, Tick&) override {
    bool any = false;
    for (base::Scanner file(text); !file.done();) {
      base::Scanner line(file.line());
      any |= zone(line);
    }
    return any;
  }

  bool zone(base::Scanner& line) {
    ZoneName name;
    if (!parse_zone_line(line, name)) return false;
    std::uint64_t count[kMostOrders];
    std::uint32_t orders = 0;
    std::uint64_t pages = 0;
    while (orders < kMostOrders && line.u64(count[orders]) && count[orders] <= UINT32_MAX) {
      pages += count[orders] << orders;
      ++orders;
    }
    line.skip_spaces();
    if (orders == 0 || !line.done() || !buddy_.row(name.node, buddy_.intern(name.zone))) return false;
    buddy_.set(0, pages);
    for (std::uint32_t i = 0; i < orders && i < kOrders; ++i) buddy_.set(1 + i, count[i]);
    return true;
  }

  TableWriter buddy_;
};

}  // namespace

constinit const Schema kBuddySchema{"buddy", kZoneKeys, kBuddy, "free memory by block size"};
constinit const SourceDef kBuddyinfoSource{
    "buddyinfo", "/proc/buddyinfo", Group::slow, {1, 0, "budget"}, false, make_source<BuddyinfoFile>,
};
std::uint32_t zone_rows(const Machine&) {
  return kZoneRows;
}

}  // namespace mikroscope::proc
