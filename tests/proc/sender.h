// A sender of three small invented tables, for tests of the codec and of the readers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proc/codec.h"

namespace mikroscope::proc::test {

inline constexpr KeyColumn kKeys[] = {{"name", true, false, ""}, {"cpu", false, false, ""}};
inline constexpr Column kColumns[] = {
    {"total", Kind::counter, Unit::none, ""},
    {"narrow", Kind::counter, Unit::none, "", Width::bits32},
    {"level", Kind::gauge, Unit::none, "", Width::bits64, 2},
    {"time", Kind::counter, Unit::nanoseconds, "", Width::bits64, 0, Predict::above},
};
inline constexpr KeyColumn kLabelKeys[] = {{"id", false, false, ""}, {"title", true, true, ""}};
inline constexpr Column kOne[] = {{"count", Kind::counter, Unit::none, ""}};
inline constexpr Schema kWide{"wide", kKeys, kColumns, ""};
inline constexpr Schema kSingle{"single", {}, kOne, ""};
inline constexpr Schema kLabelled{"labelled", kLabelKeys, kOne, ""};

// A sender with three small tables.
struct Sender {
  std::vector<std::byte> memory = std::vector<std::byte>(1 << 20);
  base::Arena arena{memory.data(), memory.size()};
  Texts texts{arena, 64, 4096};
  Layout layout;
  State now;
  Track track;

  Sender() {
    static constexpr const Schema* kSchemas[] = {&kSingle, &kWide, &kLabelled};
    static constexpr std::uint32_t kCapacity[] = {1, 12, 8};
    layout = make_layout(arena, kSchemas, kCapacity, &texts);
    now = make_state(arena, layout);
    track = make_track(arena, layout);
  }
  void begin(std::uint64_t seq, std::int64_t boot_ns, std::int64_t dt_ns, std::int64_t wall_ns) {
    begin_tick(layout, now, {seq, boot_ns, wall_ns, dt_ns});
  }
  std::string base() {
    std::string out(1 << 16, '\0');
    ByteWriter w(out.data(), out.size());
    write_base(w, layout, track);
    EXPECT_FALSE(w.overflow());
    return std::string(w.view());
  }
  std::string frame() {
    std::string out(1 << 16, '\0');
    ByteWriter w(out.data(), out.size());
    write_frame(w, layout, now, track);
    EXPECT_FALSE(w.overflow());
    return std::string(w.view());
  }
};

}  // namespace mikroscope::proc::test
