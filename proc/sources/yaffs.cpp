// /proc/yaffs: flash file systems of RouterOS. A banner, then per device a line Device N "name" and lines of
// a key, padded with dots, and a number. All counts are 32 bits.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxDevices = 8;

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
constexpr std::string_view kNames[] = {
    "n_page_writes", "n_page_reads",     "n_erasures",       "n_gc_copies",  "all_gcs",       "n_ecc_fixed",
    "n_ecc_unfixed", "n_retired_blocks", "n_retried_writes", "n_bad_blocks", "n_free_chunks",
};
static_assert(std::size(kNames) == std::size(kFlash));

int column_of(std::string_view key) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == key) return static_cast<int>(i);
  }
  return -1;
}

class YaffsFile final : public FileSource {
 public:
  YaffsFile() : FileSource("yaffs", base::kUntilZero) {}
  void bind(Layout& layout, State& state) override { flash_ = bind_table(layout, state, kFlashSchema); }

 private:
  // A banner without devices (a virtual router) is understood, and holds nothing.
  bool parse(std::string_view text, Tick&) override {
    devices_ = 0;
    bool in_row = false;
    bool banner = false;
    for (base::Scanner file(text); !file.done();) {
      base::Scanner line(file.line());
      if (line.consume("Device ")) {
        in_row = device(base::trim(line.rest()));
      } else if (in_row) {
        value(line.rest());
      } else {
        banner |= line.rest().find("YAFFS") != std::string_view::npos;
      }
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

  // n_page_writes........ 123
  void value(std::string_view line) {
    const std::size_t end = line.find_first_of(". ");
    if (end == std::string_view::npos) return;
    const int column = column_of(line.substr(0, end));
    if (column < 0) return;
    base::Scanner s(line.substr(end));
    while (s.consume('.')) {
    }
    std::uint64_t number = 0;
    if (s.u64(number)) flash_.set(static_cast<std::uint32_t>(column), number);
  }

  KeyPart seen_[kMaxDevices] = {};
  std::size_t devices_ = 0;
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
