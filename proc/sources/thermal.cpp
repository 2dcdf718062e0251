// /sys/class/thermal/thermal_zoneN: temperatures, and the trip point at which the machine protects itself.
// Zones are listed, since their numbers have holes. A zone declares how often its sensor is polled (on this
// path in some vendor kernels, else in the device tree): reading more often than the fastest of them only
// repeats values.

#include "base/text.h"
#include "proc/sources/numbered_entries.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxZones = 64;
constexpr std::uint32_t kMaxTrips = 16;
constexpr int kMilli = 3;  // decimals: the kernel's unit is 0.001 degrees

constexpr KeyColumn kZoneKey[] = {
    {"zone", true, false, "the zone's type; type:N where an earlier zone has the same"}};
constexpr Column kThermal[] = {
    {"celsius", Kind::gauge, Unit::celsius, "temperature", Width::bits64, kMilli},
    {"critical_celsius", Kind::gauge, Unit::celsius, "lowest critical trip point", Width::bits64, kMilli},
};
enum ThermalColumn : std::uint32_t { kCelsius, kCritical };

struct Zone {
  std::uint16_t number = 0;
  KeyPart key = -1;  // named at its first reading
  bool has_critical = false;
  std::int64_t critical = 0;
  SmallFile temperature;
};

class ThermalZones final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override {
    sys_ = roots.sys;
    proc_ = roots.proc;
    if (zones_ == nullptr) zones_ = arena.make<Zone>(kMaxZones);
    if (zones_ == nullptr) return ReadStatus::failed;
    scan(buffer);
    for (Zone& zone : std::span(zones_, count_)) {
      std::int64_t milli = 0;
      if (zone.temperature.read_i64(buffer, milli)) return ReadStatus::ok;
    }
    return ReadStatus::absent;
  }
  void bind(Layout& layout, State& state) override { thermal_.bind(layout, state, kThermalSchema); }

  ReadStatus read(Tick& tick) override {
    if (minute_.due(tick.now_boot_ns)) scan(tick.buffer);
    bool any = false;
    bool any_open = false;
    for (Zone& zone : std::span(zones_, count_)) {
      any_open |= static_cast<bool>(zone.temperature);
      std::int64_t milli = 0;
      if (!zone.temperature.read_i64(tick.buffer, milli)) continue;
      if (zone.key < 0) zone.key = name(zone, tick.buffer);
      if (!thermal_.row(zone.key)) continue;
      thermal_.set_gauge(kCelsius, milli);
      if (zone.has_critical) thermal_.set_gauge(kCritical, zone.critical);
      any = true;
    }
    return any ? ReadStatus::ok : any_open ? ReadStatus::failed : ReadStatus::absent;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    for (const Zone& zone : std::span(zones_, count_)) {
      if (zone.temperature) visit(context, path(zone, "temp").view());
    }
  }

  Cadence cadence(const Cadence& registered) const override {
    if (fastest_ms_ <= 0) return registered;
    if (fastest_ms_ >= 1000) return {0, static_cast<std::uint32_t>(fastest_ms_ / 1000), "declared"};
    return {static_cast<std::uint32_t>(1000 / fastest_ms_), 0, "declared"};
  }

 private:
  KernelPath path(const Zone& zone, std::string_view file) const {
    return KernelPath(sys_, "class/thermal/thermal_zone%u/%s", zone.number, file);
  }

  // Finds zones that are new, reopens those that were gone, and reads the trip points again.
  void scan(base::ReadBuffer buffer) {
    std::uint16_t numbers[kMaxZones];
    const std::size_t found = numbered_entries(KernelPath(sys_, "class/thermal"), "thermal_zone", numbers);
    for (const std::uint16_t number : std::span(numbers, found)) {
      Zone* zone = nullptr;
      for (Zone& known : std::span(zones_, count_)) {
        if (known.number == number) zone = &known;
      }
      if (zone == nullptr && count_ == kMaxZones) continue;
      if (zone == nullptr) {
        zone = &zones_[count_++];
        zone->number = number;
      }
      if (!zone->temperature) zone->temperature.open_unread(path(*zone, "temp"));
      find_critical(*zone, buffer);
      find_polling_delay(*zone, buffer);
    }
  }

  void find_critical(Zone& zone, base::ReadBuffer buffer) const {
    zone.has_critical = false;
    for (std::uint32_t trip = 0; trip < kMaxTrips; ++trip) {
      const auto of_trip = [&](std::string_view what) {
        return KernelPath(sys_, "class/thermal/thermal_zone%u/trip_point_%u_%s", zone.number, trip, what);
      };
      std::string_view text;
      std::int64_t milli = 0;
      if (!read_once(of_trip("type"), buffer, text)) return;
      if (base::trim(text) != "critical" || !read_once_i64(of_trip("temp"), buffer, milli)) continue;
      if (!zone.has_critical || milli < zone.critical) zone.critical = milli;
      zone.has_critical = true;
    }
  }

  void find_polling_delay(const Zone& zone, base::ReadBuffer buffer) {
    std::int64_t ms = 0;
    if (!read_once_i64(path(zone, "polling_delay"), buffer, ms)) ms = device_tree_delay(zone, buffer);
    if (ms > 0 && (fastest_ms_ == 0 || ms < fastest_ms_)) fastest_ms_ = ms;
  }

  // The device tree names its zones by their type, and holds the delay as four bytes, highest first.
  std::int64_t device_tree_delay(const Zone& zone, base::ReadBuffer buffer) const {
    std::string_view type;
    if (!read_once(path(zone, "type"), buffer, type)) return 0;
    const KernelPath delay(proc_, "device-tree/thermal-zones/%s/polling-delay", base::trim(type));
    std::string_view cell;
    if (!read_once(delay, buffer, cell) || cell.size() != 4) return 0;
    std::int64_t ms = 0;
    for (const char byte : cell) ms = ms << 8 | static_cast<unsigned char>(byte);
    return ms;
  }

  KeyPart name(const Zone& zone, base::ReadBuffer buffer) {
    std::string_view type;
    if (!read_once(path(zone, "type"), buffer, type) || base::trim(type).empty()) {
      return thermal_.intern_print("thermal_zone%u", zone.number);
    }
    const KeyPart key = thermal_.intern(base::trim(type));
    for (const Zone& other : std::span(zones_, count_)) {
      if (other.key == key && &other != &zone) {
        return thermal_.intern_print("%s:%u", base::trim(type), zone.number);
      }
    }
    return key;
  }

  std::string_view sys_;
  std::string_view proc_;
  Zone* zones_ = nullptr;
  std::size_t count_ = 0;
  std::int64_t fastest_ms_ = 0;
  EveryMinute minute_;
  TableWriter thermal_;
};

}  // namespace

constinit const Schema kThermalSchema{"thermal", kZoneKey, kThermal, "temperatures"};
constinit const SourceDef kThermalSource{
    "thermal", "/sys/class/thermal/thermal_zone*/temp", Group::slow, {}, false, make_source<ThermalZones>,
};
std::uint32_t thermal_rows(const Machine&) {
  return kMaxZones;
}

}  // namespace mikroscope::proc
