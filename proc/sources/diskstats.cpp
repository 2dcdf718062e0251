// /proc/diskstats: block devices and partitions. 14 words or more per line (18 from 4.18, 20 from 5.5) are
// the usual layout, of which the first eleven numbers are used; 7 are a partition before 2.6.25; any other
// count is not understood and the line is skipped. Times are milliseconds that the kernel keeps in 32 bits.
// A loop, ram or nbd device that has never moved a sector has no row: kernels make sixteen of each in
// advance. It gets one with its first transfer; any other device has one however idle it is.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/tables.h"
#include "proc/unchanged_lines.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kLines = 1024;  // remembered; further lines are only looked up more slowly
constexpr std::size_t kKept = 16384;  // bytes of the last text, to know lines that did not change
constexpr std::uint32_t kRows = 256;
constexpr std::size_t kNumbers = 11;  // after major, minor and name
constexpr std::size_t kOldNumbers = 4;
constexpr int kMilliseconds = 3;  // decimals of a cell that holds ms

constexpr KeyColumn kDeviceKey[] = {{"device", true, false, "as in /proc/diskstats"}};

constexpr Column count(std::string_view name, Unit unit, std::string_view help) {
  return {name, Kind::counter, unit, help, Width::native};
}
constexpr Column time(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::seconds, help, Width::bits32, kMilliseconds};
}

constexpr Column kDisk[] = {
    count("reads", Unit::events, "reads completed"),
    count("read_sectors", Unit::sectors, "read"),
    time("read_s", "time of all reads together"),
    count("writes", Unit::events, "writes completed"),
    count("write_sectors", Unit::sectors, "written"),
    time("write_s", "time of all writes together"),
    time("io_s", "time in which any transfer was under way"),
    {"inflight", Kind::gauge, Unit::events, "transfers under way now"},
};
// The number of a line (0-based, after the name) that holds each column.
constexpr std::size_t kNumberOf[] = {0, 2, 3, 4, 6, 7, 9, 8};
static_assert(std::size(kNumberOf) == std::size(kDisk));
// The same for the four numbers of old partitions: reads, sectors, writes, sectors.
constexpr std::uint32_t kOldColumns[kOldNumbers] = {0, 1, 3, 4};

bool made_in_advance(std::string_view device) {
  return device.starts_with("loop") || device.starts_with("ram") || device.starts_with("nbd");
}

class DiskstatsFile final : public FileSource {
 public:
  // One record is a disk with all its partitions.
  DiskstatsFile() : FileSource("diskstats", base::FileShape{1024}) {}
  void bind(Layout& layout, State& state) override { disk_.bind(layout, state, kDiskSchema); }

 private:
  enum class Form : std::uint8_t { nothing, old, usual };

  bool prepare(base::Arena& arena) override {
    known_ = arena.make<Known>(kLines);
    return known_ != nullptr && unchanged_.prepare(arena, kLines, kKept);
  }

  bool parse(std::string_view text, Tick&) override {
    bool any = text.empty();  // a machine without block devices
    std::size_t n = 0;
    unchanged_.begin(text);
    for (base::Scanner file(text); !file.done(); ++n) {
      const std::string_view one = file.line();
      any |= unchanged_.same(n, one) ? repeat(known_[n]) : line(one, n);
    }
    unchanged_.end();
    return any;
  }

  // What a line gave the last time.
  struct Known {
    KeyPart name = -1;
    Form form = Form::nothing;
  };
  bool repeat(const Known& known) {
    if (known.form == Form::nothing || !disk_.row(known.name)) return true;
    if (known.form == Form::old) {
      for (const std::uint32_t column : kOldColumns) disk_.set_again(column);
    } else {
      for (std::uint32_t c = 0; c < std::size(kNumberOf); ++c) disk_.set_again(c);
    }
    return true;
  }

  bool line(std::string_view text, std::size_t n) {
    unchanged_.unmark(n);
    base::Scanner s(text);
    std::uint64_t major = 0;
    std::uint64_t minor = 0;
    if (!s.u64(major) || !s.u64(minor)) return false;
    const std::string_view device = s.word();
    std::uint64_t ignored = 0;
    if (device.empty() || base::parse_u64(device, ignored)) return false;  // 2.4: a size, then the name
    std::uint64_t number[kNumbers];
    std::size_t numbers = 0;
    std::uint64_t moved = 0;
    while (numbers < kNumbers && s.u64(number[numbers])) moved |= number[numbers++];
    s.skip_spaces();
    const bool old = numbers == kOldNumbers && s.done();
    if (!old && numbers < kNumbers) return false;
    Known beyond;
    Known& known = n < kLines ? known_[n] : beyond;
    unchanged_.mark(n, text);
    if (moved == 0 && made_in_advance(device)) {
      known.form = Form::nothing;
      return true;
    }
    known.name = disk_.intern(device, known.name);
    known.form = old ? Form::old : Form::usual;
    if (!disk_.row(known.name)) return true;
    if (old) {
      for (std::size_t i = 0; i < kOldNumbers; ++i) disk_.set(kOldColumns[i], number[i]);
    } else {
      for (std::uint32_t c = 0; c < std::size(kNumberOf); ++c) disk_.set(c, number[kNumberOf[c]]);
    }
    return true;
  }

  Known* known_ = nullptr;
  UnchangedLines unchanged_;
  TableWriter disk_;
};

}  // namespace

constinit const Schema kDiskSchema{
    "disk", kDeviceKey, kDisk,
    "block devices and partitions; loop, ram and nbd devices once they have moved a sector"};
constinit const SourceDef kDiskstatsSource{
    "diskstats", "/proc/diskstats", Group::devices, {}, false, make_source<DiskstatsFile>,
};
std::uint32_t disk_rows(const Machine&) {
  return kRows;
}

}  // namespace mikroscope::proc
