// /proc/zoneinfo: free pages of each zone and the watermarks at which reclaim begins. One record is a node,
// several KB.

#include "proc/file_source.h"
#include "proc/sources/zone_line.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr Column pages(std::string_view name, std::string_view help) {
  return {name, Kind::gauge, Unit::pages, help};
}
constexpr Column kZone[] = {
    pages("free", "free"),
    pages("min", "watermark: below it only emergency allocations succeed at once"),
    pages("low", "watermark: below it kswapd wakes up"),
    pages("high", "watermark: above it kswapd sleeps again"),
    pages("managed", "handed to the page allocator (from 3.9)"),
};

class ZoneinfoFile final : public FileSource {
 public:
  ZoneinfoFile() : FileSource("zoneinfo", base::kUntilZero) {}
  void bind(Layout& layout, State& state) override { zone_.bind(layout, state, kZoneSchema); }

 private:
  // Node 0, zone   Normal
  //   pages free     1234
  //         min      56
  // The names stand alone at the start of their line; "high:" of the page sets is another thing.
  bool parse(std::string_view text, Tick&) override {
    bool any = false;
    bool in_row = false;
    bool in_pages = false;
    for (base::Scanner file(text); !file.done();) {
      base::Scanner line(file.line());
      if (line.peek() == 'N') {
        ZoneName name;
        in_row = parse_zone_line(line, name) && zone_.row(name.node, zone_.intern(name.zone));
        in_pages = false;
        continue;
      }
      if (!in_row) continue;
      std::string_view word = line.word();
      if (word == "pages") {
        word = line.word();
        in_pages = word == "free";
      }
      if (in_pages) any |= set(word, line);
    }
    return any;
  }

  bool set(std::string_view name, base::Scanner& line) {
    for (std::uint32_t c = 0; c < std::size(kZone); ++c) {
      std::uint64_t value = 0;
      if (kZone[c].name != name || !line.u64(value)) continue;
      zone_.set(c, value);
      return true;
    }
    return false;
  }

  TableWriter zone_;
};

}  // namespace

constinit const Schema kZoneSchema{"zone", kZoneKeys, kZone, "free pages and watermarks of memory zones"};
constinit const SourceDef kZoneinfoSource{
    "zoneinfo", "/proc/zoneinfo", Group::slow, {1, 0, "budget"}, false, make_source<ZoneinfoFile>,
};

}  // namespace mikroscope::proc
