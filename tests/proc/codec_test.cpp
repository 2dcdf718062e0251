#include "proc/codec.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "proc/ndjson.h"
#include "tests/proc/sender.h"

namespace mikroscope::proc {
namespace {

using test::Sender;

struct Receiver {
  std::vector<std::byte> memory = std::vector<std::byte>(1 << 20);
  base::Arena arena{memory.data(), memory.size()};
  FrameDecoder decoder;
  explicit Receiver(const Layout& layout) : decoder(arena, layout) {}
};

TEST(Codec, RoundTripOfRandomFrames) {
  std::mt19937_64 random(7);
  Sender s;
  Receiver r(s.layout);
  TableWriter single(s.layout, s.now, 0);
  TableWriter wide(s.layout, s.now, 1);
  TableWriter labelled(s.layout, s.now, 2);
  const KeyPart names[] = {s.texts.intern("a"), s.texts.intern("b")};
  std::int64_t boot = 5'000'000'000;
  std::int64_t wall = 1'789'000'000'000'000'000;
  bool need_base = true;
  for (std::uint64_t seq = 1; seq <= 2000; ++seq) {
    const auto dt = static_cast<std::int64_t>(random() % 200'000'000);
    boot += dt + static_cast<std::int64_t>(random() % 3) - 1;
    wall += dt + (random() % 50 == 0 ? static_cast<std::int64_t>(random() % 1'000'000'000) - 500'000'000 : 0);
    s.begin(seq, boot, dt, wall);
    if (random() % 10 != 0) {
      single.single();
      single.set(0, random());
    }
    if (random() % 4 != 0) {
      const auto rows = static_cast<KeyPart>(1 + seq / 400);
      for (KeyPart cpu = 0; cpu < rows; ++cpu) {
        if (random() % 20 == 0) continue;  // a core that is away
        ASSERT_TRUE(wide.row(names[random() % 2], cpu));
        for (std::uint32_t c = 0; c < 4; ++c) {
          if (random() % 30 != 0) wide.set(c, random() >> (random() % 64));
        }
      }
    }
    if (seq > 1000 && labelled.row(static_cast<KeyPart>(random() % 3), names[0])) labelled.set(0, seq);
    // A copy of what was put in, before the encoder moves on.
    std::vector<std::uint64_t> values(s.now.values, s.now.values + s.layout.slots);
    std::vector<std::uint8_t> present(s.now.present, s.now.present + s.layout.slots);
    need_base |= grow(s.layout, s.track) || random() % 40 == 0;
    if (need_base) {
      ASSERT_TRUE(r.decoder.base(s.base())) << seq;
      need_base = false;
    }
    ASSERT_TRUE(r.decoder.frame(s.frame())) << seq;
    const FrameView v = r.decoder.view();
    EXPECT_EQ(v.head.seq, seq);
    EXPECT_EQ(v.head.boot_ns, boot);
    EXPECT_EQ(v.head.wall_ns, wall);
    EXPECT_EQ(v.head.dt_ns, dt);
    ASSERT_EQ(v.tables, s.now.tables);
    for (std::uint32_t t = 0; t < s.layout.table_count; ++t) {
      const Table& table = s.layout.tables[t];
      for (std::uint32_t slot = table.slot0; slot < table.slot0 + table.used_slots(); ++slot) {
        ASSERT_EQ(v.has(t, slot), present[slot] != 0) << "seq " << seq << " slot " << slot;
        if (present[slot] == 0) continue;
        ASSERT_EQ(v.now[slot], values[slot]) << "seq " << seq << " slot " << slot;
      }
    }
  }
}

TEST(Codec, EveryTruncationAndEveryChangedByteIsRefusedOrHarmless) {
  Sender s;
  TableWriter wide(s.layout, s.now, 1);
  s.begin(0, 100, 10, 1000);
  for (KeyPart cpu = 0; cpu < 6; ++cpu) {
    wide.row(s.texts.intern("x"), cpu);
    for (std::uint32_t c = 0; c < 4; ++c) wide.set(c, 1000U * c + static_cast<std::uint64_t>(cpu));
  }
  prime(s.layout, s.now, s.track);
  const std::string base = s.base();
  s.begin(1, 200, 100, 1100);
  for (KeyPart cpu = 0; cpu < 6; cpu += 2) {
    wide.row(s.texts.intern("x"), cpu);
    for (std::uint32_t c = 0; c < 4; ++c) wide.set(c, 5000U * c);
  }
  const std::string frame = s.frame();
  Receiver r(s.layout);
  for (std::size_t cut = 0; cut < base.size(); ++cut)
    EXPECT_FALSE(r.decoder.base(base.substr(0, cut))) << cut;
  EXPECT_FALSE(r.decoder.frame(frame)) << "no frame without a base";
  for (std::size_t cut = 0; cut < frame.size(); ++cut) {
    ASSERT_TRUE(r.decoder.base(base));
    EXPECT_FALSE(r.decoder.frame(frame.substr(0, cut))) << cut;
  }
  for (std::size_t at = 0; at < frame.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = frame;
      bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
      ASSERT_TRUE(r.decoder.base(base));
      r.decoder.frame(bad);  // sanitizers are the judges
    }
  }
  ASSERT_TRUE(r.decoder.base(base));
  EXPECT_TRUE(r.decoder.frame(frame));
}

TEST(Codec, RecordFramingFindsIncompleteAndForeignInput) {
  char head[1 + kMaxVarint];
  const std::size_t n = record_head(RecordKind::event, 3, head);
  const std::string whole = std::string(head, n) + "abc";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    std::string_view in = std::string_view(whole).substr(0, cut);
    Record record;
    EXPECT_EQ(read_record(in, record, 100), 0) << cut;
    EXPECT_EQ(in.size(), cut);
  }
  std::string_view in = whole;
  Record record;
  ASSERT_EQ(read_record(in, record, 100), 1);
  EXPECT_EQ(record.payload, "abc");
  EXPECT_TRUE(in.empty());
  in = whole;
  EXPECT_EQ(read_record(in, record, 2), -1) << "longer than allowed";
  in = "{\"seq\":1}";
  EXPECT_EQ(read_record(in, record, 1 << 20), -1) << "NDJSON is no record";
  in = "F\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(read_record(in, record, 1 << 20), -1) << "a length of many bytes is refused, not waited for";
}

TEST(Codec, IdleFrameIsTiny) {
  Sender s;
  TableWriter wide(s.layout, s.now, 1);
  const auto fill = [&](std::uint64_t seq) {
    s.begin(seq, static_cast<std::int64_t>(seq) * 100, 100, static_cast<std::int64_t>(seq) * 100);
    for (KeyPart cpu = 0; cpu < 6; ++cpu) {
      wide.row(s.texts.intern("x"), cpu);
      for (std::uint32_t c = 0; c < 4; ++c) wide.set(c, 7);
    }
  };
  fill(0);
  prime(s.layout, s.now, s.track);
  fill(1);
  // flags, skipped sequence numbers, error of the predicted step, one run of 24 unchanged cells
  EXPECT_EQ(s.frame().size(), 4U);
}

TEST(Ndjson, SampleHasDifferencesAndLevelsAndLeavesOutWhatIsAbsent) {
  Sender s;
  TableWriter single(s.layout, s.now, 0);
  TableWriter wide(s.layout, s.now, 1);
  TableWriter labelled(s.layout, s.now, 2);
  s.begin(0, 1000, 10, 5000);
  single.single();
  single.set(0, 100);
  wide.row(s.texts.intern("a\"b"), 0);
  wide.set(0, 50);
  wide.set_gauge(2, 12);
  labelled.row(37, s.texts.intern("switch0"));
  labelled.set(0, 3);
  prime(s.layout, s.now, s.track);
  s.begin(1, 1010, 10, 5010);
  single.single();
  single.set(0, 107);
  wide.row(s.texts.intern("a\"b"), 0);
  wide.set(0, 40);  // 50 -> 40: a reset, no value
  wide.set_gauge(2, -5);
  wide.row(s.texts.intern("new"), 3);  // a row that just came: its counter has no earlier reading
  wide.set(0, 9);
  wide.set_gauge(2, 100);
  labelled.row(37, s.texts.intern("switch0"));
  labelled.set(0, 4);
  grow(s.layout, s.track);
  char buffer[4096];
  base::Writer out(buffer, sizeof buffer);
  ASSERT_TRUE(write_sample(view(s.layout, s.now, s.track), false, out));
  EXPECT_EQ(out.view(),
            "{\"seq\":1,\"boot_ns\":1010,\"wall_ns\":5010,\"dt_ns\":10,\"single\":{\"count\":7},"
            "\"wide\":[{\"name\":\"a\\\"b\",\"cpu\":0,\"level\":-0.05},{\"name\":\"new\",\"cpu\":3,\"level\":"
            "1.00}],"
            "\"labelled\":[{\"id\":37,\"count\":1}],"
            "\"odd\":[{\"table\":\"wide\",\"name\":\"a\\\"b\",\"cpu\":0,\"column\":\"total\",\"kind\":"
            "\"reset\"}]}\n");
  out.rewind(0);
  ASSERT_TRUE(write_names(s.layout, 0, out));
  EXPECT_EQ(out.view(), "{\"names\":{\"labelled\":[{\"id\":37,\"title\":\"switch0\"}]}}\n");
  char small[60];
  base::Writer tight(small, sizeof small);
  EXPECT_FALSE(write_sample(view(s.layout, s.now, s.track), false, tight));
  EXPECT_EQ(tight.size(), 0U) << "what does not fit leaves nothing behind";
}

TEST(Ndjson, IntervalOfATableThatWasNotReadForAWhile) {
  Sender s;
  TableWriter single(s.layout, s.now, 0);
  s.begin(0, 1000, 100, 0);
  single.single();
  single.set(0, 1);
  prime(s.layout, s.now, s.track);
  s.begin(1, 1100, 100, 100);  // a failed read: the table is not there
  s.frame();
  s.begin(2, 1200, 100, 200);
  single.single();
  single.set(0, 5);
  char buffer[512];
  base::Writer out(buffer, sizeof buffer);
  ASSERT_TRUE(write_sample(view(s.layout, s.now, s.track), false, out));
  EXPECT_EQ(out.view(),
            "{\"seq\":2,\"boot_ns\":1200,\"wall_ns\":200,\"dt_ns\":100,\"single\":{\"count\":4},"
            "\"intervals\":{\"single\":200}}\n");
}

}  // namespace
}  // namespace mikroscope::proc
