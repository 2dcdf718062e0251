// /sys/class/mtd/mtdN: ECC and bad block counts of flash partitions, since boot. Read every ten seconds. The
// mtdNro entries are aliases; a device that reports neither corrected bits nor ECC failures (NOR flash, ram)
// has no row.

#include "base/text.h"
#include "proc/sources/numbered_entries.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxDevices = 32;

constexpr KeyColumn kKeys[] = {
    {"device", true, false, "mtd0, mtd1, ..."},
    {"partition", true, true, "its name"},
};
// The columns are named like the files.
constexpr Column kMtd[] = {
    {"corrected_bits", Kind::gauge, Unit::none, "bits corrected since boot"},
    {"ecc_failures", Kind::gauge, Unit::none, "reads that could not be corrected since boot"},
    {"bad_blocks", Kind::gauge, Unit::blocks, "blocks marked bad"},
    {"bbt_blocks", Kind::gauge, Unit::blocks, "blocks reserved for the bad block table"},
    {"bitflip_threshold", Kind::gauge, Unit::none,
     "corrected bits per step at which a read counts as worrying"},
    {"ecc_strength", Kind::gauge, Unit::none, "bits per step that can be corrected"},
};
constexpr std::size_t kFiles = std::size(kMtd);
constexpr std::size_t kNeededFiles = 2;  // one of the first two

struct Device {
  std::uint16_t number = 0;
  bool named = false;
  KeyPart device = -1;
  KeyPart partition = -1;
  SmallFile file[kFiles];
};

class MtdFiles final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override {
    sys_ = roots.sys;
    if (devices_ == nullptr) devices_ = arena.make<Device>(kMaxDevices);
    if (devices_ == nullptr) return ReadStatus::failed;
    const ReadStatus status = scan(buffer);
    return any_open() ? ReadStatus::ok : status;
  }
  void bind(Layout& layout, State& state) override { mtd_.bind(layout, state, kMtdSchema); }

  ReadStatus read(Tick& tick) override {
    if (minute_.due(tick.now_boot_ns)) scan(tick.buffer);
    bool any = false;
    for (Device& device : std::span(devices_, count_)) any |= read(device, tick.buffer);
    return any ? ReadStatus::ok : any_open() ? ReadStatus::failed : ReadStatus::absent;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    for (const Device& device : std::span(devices_, count_)) {
      for (std::size_t i = 0; i < kFiles; ++i) {
        if (device.file[i]) visit(context, path(device, kMtd[i].name).view());
      }
    }
  }

 private:
  KernelPath path(const Device& device, std::string_view file) const {
    return KernelPath(sys_, "class/mtd/mtd%u/%s", device.number, file);
  }
  static bool has_row(const Device& device) {
    for (std::size_t i = 0; i < kNeededFiles; ++i) {
      if (device.file[i]) return true;
    }
    return false;
  }
  bool any_open() const {
    for (const Device& device : std::span(devices_, count_)) {
      if (has_row(device)) return true;
    }
    return false;
  }

  ReadStatus scan(base::ReadBuffer buffer) {
    std::uint16_t numbers[kMaxDevices];
    const std::size_t found = numbered_entries(KernelPath(sys_, "class/mtd"), "mtd", numbers);
    ReadStatus worst = ReadStatus::absent;
    for (const std::uint16_t number : std::span(numbers, found)) {
      Device* device = nullptr;
      for (Device& known : std::span(devices_, count_)) {
        if (known.number == number) device = &known;
      }
      if (device == nullptr && count_ == kMaxDevices) continue;
      if (device == nullptr) {
        device = &devices_[count_++];
        device->number = number;
      }
      for (std::size_t i = 0; i < kFiles; ++i) {
        if (i == kNeededFiles && !has_row(*device)) break;
        if (device->file[i]) continue;
        const ReadStatus status = device->file[i].open(path(*device, kMtd[i].name), buffer);
        if (status == ReadStatus::forbidden) worst = status;
      }
    }
    return worst;
  }

  bool read(Device& device, base::ReadBuffer buffer) {
    if (!has_row(device)) return false;
    std::int64_t value[kFiles];
    bool has[kFiles];
    bool any = false;
    for (std::size_t i = 0; i < kFiles; ++i) {
      has[i] = device.file[i].read_i64(buffer, value[i]);
      any |= has[i];
    }
    if (!any) return false;
    if (!device.named) name(device, buffer);
    if (!mtd_.row(device.device, device.partition)) return false;
    for (std::uint32_t i = 0; i < kFiles; ++i) {
      if (has[i]) mtd_.set_gauge(i, value[i]);
    }
    return true;
  }

  void name(Device& device, base::ReadBuffer buffer) {
    std::string_view text;
    if (!read_once(path(device, "name"), buffer, text)) text = {};
    device.partition = mtd_.intern(base::trim(text));
    device.device = mtd_.intern_print("mtd%u", device.number);
    device.named = true;
  }

  std::string_view sys_;
  Device* devices_ = nullptr;
  std::size_t count_ = 0;
  EveryMinute minute_;
  TableWriter mtd_;
};

}  // namespace

constinit const Schema kMtdSchema{"mtd", kKeys, kMtd, "flash partitions, counts since boot"};
constinit const SourceDef kMtdSource{
    "mtd",       "/sys/class/mtd/mtd*/{corrected_bits,ecc_failures,...}",
    Group::slow, {0, 10, "budget"},
    true,        make_source<MtdFiles>,
};
std::uint32_t mtd_rows(const Machine&) {
  return kMaxDevices;
}

}  // namespace mikroscope::proc
