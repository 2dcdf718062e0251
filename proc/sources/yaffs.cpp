// /proc/yaffs: flash file systems of RouterOS. A banner, then per device a line Device N "name" and lines of
// a key, padded with dots, and a number. All counts are 32 bits.

#include "base/names.h"
#include "base/text.h"
#include "proc/file_source.h"
#include "proc/tables.h"
#include "proc/unchanged_lines.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxDevices = 8;
constexpr std::size_t kLines = 512;  // remembered, some sixty for each device; further ones are parsed anew
constexpr std::size_t kKept = 16384;

constexpr KeyColumn kDeviceKey[] = {
    {"device", true, false, "the name in quotes; the whole text after Device where two have the same"}};

constexpr Column count(std::string_view name, Unit unit, std::string_view help) {
  return {name, Kind::counter, unit, help, Width::bits32};
}
constexpr Column kFlash[] = {
    count("page_writes", Unit::pages, "written to flash"),
    count("page_reads", Unit::pages, "read from flash"),
    count("erasures", Unit::blocks, "erased: what wears flash out"),
    count("gc_copies", Unit::pages, "moved by garbage collection"),
    count("gcs", Unit::events, "garbage collections"),
    count("ecc_fixed", Unit::events, "reads corrected by ECC"),
    count("ecc_unfixed", Unit::events, "reads that ECC could not correct"),
    count("retired_blocks", Unit::blocks, "taken out of use"),
    count("retried_writes", Unit::events, "writes done again elsewhere"),
    {"bad_blocks", Kind::gauge, Unit::blocks, "marked bad"},
    {"free_chunks", Kind::gauge, Unit::pages, "free"},
};
// In the order of the columns.
constexpr char kNames[] =
    "n_page_writes\0n_page_reads\0n_erasures\0n_gc_copies\0all_gcs\0n_ecc_fixed\0n_ecc_unfixed\0n_retired_"
    "blocks\0"
    "n_retried_writes\0n_bad_blocks\0n_free_chunks\0";
static_assert(base::name_count(kNames) == std::size(kFlash));

class YaffsFile final : public FileSource {
 public:
  YaffsFile() : FileSource("yaffs", base::kUntilZero) {}
  void bind(Layout& layout, State& state) override { flash_.bind(layout, state, kFlashSchema); }

 private:
  static constexpr std::int8_t kNoColumn = -1;
  static constexpr std::int8_t kDeviceLine = -2;
  static constexpr std::uint32_t bit_of(int column) { return column < 0 ? 0 : 1U << column; }

  bool prepare(base::Arena& arena) override {
    columns_ = arena.make<std::int8_t>(kLines);
    return columns_ != nullptr && unchanged_.prepare(arena, kLines, kKept);
  }

  // A banner without devices (a virtual router) is understood, and holds nothing.
  bool parse(std::string_view text, Tick&) override {
    devices_ = 0;
    bool in_row = false;
    bool banner = false;
    bool twice = false;        // a device had two lines of one key: either could go
    bool same_devices = true;  // so far: a line belongs to the device that it belonged to
    unchanged_.begin(text);
    std::size_t n = 0;
    for (base::Scanner file(text); !file.done(); ++n) {
      const std::string_view whole = file.line();
      base::Scanner line(whole);
      if (line.consume("Device ")) {
        same_devices &= unchanged_.same(n, whole);
        in_row = device(base::trim(line.rest()));
        unchanged_.mark(n, whole);
        if (n < kLines) columns_[n] = kDeviceLine;
        seen_columns_ = 0;
      } else if (in_row) {
        same_devices &= n >= kLines || columns_[n] != kDeviceLine;
        // A second line of one key is parsed: repeating it would give the first one's number.
        if (same_devices && unchanged_.same(n, whole) && (seen_columns_ & bit_of(columns_[n])) == 0) {
          if (columns_[n] >= 0) flash_.set_again(static_cast<std::uint32_t>(columns_[n]));
          seen_columns_ |= bit_of(columns_[n]);
          continue;
        }
        const int column = value(whole);
        twice |= (seen_columns_ & bit_of(column)) != 0;
        unchanged_.mark(n, whole);
        if (n < kLines) columns_[n] = static_cast<std::int8_t>(column);
        seen_columns_ |= bit_of(column);
      } else {
        unchanged_.unmark(n);
        if (n < kLines) columns_[n] = kNoColumn;
        banner |= whole.find("YAFFS") != std::string_view::npos;
      }
    }
    if (twice) {
      unchanged_.forget();
    } else {
      unchanged_.end();
    }
    return banner || devices_ != 0;
  }

  bool device(std::string_view tail) {
    if (devices_ == kMaxDevices || tail.empty()) return false;
    std::string_view name = tail;
    const std::size_t open = tail.find('"');
    const std::size_t close = tail.rfind('"');
    if (open != std::string_view::npos && close > open + 1) name = tail.substr(open + 1, close - open - 1);
    KeyPart key = flash_.intern(name);
    for (std::size_t i = 0; i < devices_; ++i) {
      if (seen_[i] == key) key = flash_.intern(tail);
    }
    seen_[devices_++] = key;
    return flash_.row(key);
  }

  // n_page_writes........ 123. The column that it set, or kNoColumn.
  int value(std::string_view line) {
    const std::size_t end = line.find_first_of(". ");
    if (end == std::string_view::npos) return kNoColumn;
    const int column = base::name_index(kNames, line.substr(0, end));
    if (column < 0) return kNoColumn;
    base::Scanner s(line.substr(end));
    while (s.consume('.')) {
    }
    std::uint64_t number = 0;
    if (!s.u64(number)) return kNoColumn;
    flash_.set(static_cast<std::uint32_t>(column), number);
    return column;
  }

  KeyPart seen_[kMaxDevices] = {};
  std::size_t devices_ = 0;
  std::uint32_t seen_columns_ = 0;  // of the device that is being read
  std::int8_t* columns_ = nullptr;  // what each line set
  UnchangedLines unchanged_;
  TableWriter flash_;
};

}  // namespace

constinit const Schema kFlashSchema{"flash", kDeviceKey, kFlash, "flash file systems (YAFFS)"};
constinit const SourceDef kYaffsSource{
    "yaffs", "/proc/yaffs", Group::devices, {}, false, make_source<YaffsFile>,
};
std::uint32_t flash_rows(const Machine&) {
  return kMaxDevices;
}

}  // namespace mikroscope::proc
