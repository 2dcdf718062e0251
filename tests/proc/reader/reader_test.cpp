#include "proc/reader/reader.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "proc/ndjson.h"
#include "proc/reader/derived.h"
#include "tests/proc/sender.h"

namespace mikroscope::proc {
namespace {

using test::Sender;

std::string record(RecordKind kind, std::string_view payload) {
  char head[1 + kMaxVarint];
  const std::size_t n = record_head(kind, payload.size(), head);
  return std::string(head, n) + std::string(payload);
}

std::string hello(std::string_view instance, std::string_view boot_id, const Layout& layout) {
  char buffer[256];
  ByteWriter w(buffer, sizeof buffer);
  Hello h;
  h.instance = instance;
  h.boot_id = boot_id;
  h.schema_hash = schema_hash(layout);
  write_hello(w, h);
  return record(RecordKind::hello, w.view());
}

std::string schema(const Layout& layout) {
  std::string out(1 << 16, '\0');
  ByteWriter w(out.data(), out.size());
  write_schema(w, layout);
  return record(RecordKind::schema, w.view());
}

std::string all_rows(const Layout& layout) {
  std::string records;
  for (std::uint32_t t = 0; t < layout.table_count; ++t) {
    if (layout.tables[t].schema->keys.empty() || layout.tables[t].rows == 0) continue;
    std::string out(1 << 16, '\0');
    ByteWriter w(out.data(), out.size());
    write_rows(w, layout, t, 0, layout.tables[t].rows);
    records += record(RecordKind::rows, w.view());
  }
  return records;
}

std::string ndjson(const FrameView& v) {
  std::string out(1 << 16, '\0');
  base::Writer w(out.data(), out.size());
  EXPECT_TRUE(write_sample(v, false, w));
  return std::string(w.view());
}

std::string names(const Layout& layout) {
  std::string out(1 << 16, '\0');
  base::Writer w(out.data(), out.size());
  EXPECT_TRUE(write_names(layout, 0, w));
  return std::string(w.view());
}

// A frame as "table/keys/column" -> value, which does not depend on the numbering of rows and tables.
std::map<std::string, std::int64_t> cells(const Frame& f) {
  std::map<std::string, std::int64_t> out;
  for (std::uint32_t t = 0; t < f.layout->table_count; ++t) {
    const Table& table = f.layout->tables[t];
    for (std::uint32_t r = 0; r < f.rows[t]; ++r) {
      std::string key(table.schema->table);
      for (std::size_t k = 0; k < table.schema->keys.size(); ++k) {
        key += '/';
        key += table.schema->keys[k].text ? std::string((*f.layout->texts)[table.keys[r].part[k]])
                                          : std::to_string(table.keys[r].part[k]);
      }
      for (std::uint32_t c = 0; c < table.columns(); ++c) {
        if (const auto v = f.cell(t, r, c)) out[key + '/' + std::string(table.schema->columns[c].name)] = *v;
      }
    }
  }
  return out;
}

// The same random frames as a packed stream and as NDJSON, read back in pieces of random size, must be the
// same.
TEST(Readers, PackedAndNdjsonTellTheSame) {
  std::mt19937_64 random(11);
  Sender s;
  TableWriter single(s.layout, s.now, 0);
  TableWriter wide(s.layout, s.now, 1);
  TableWriter labelled(s.layout, s.now, 2);
  std::string packed;
  std::string lines;
  std::uint64_t value = 0;
  const auto tick = [&](std::uint64_t seq) {
    s.begin(seq, static_cast<std::int64_t>(seq) * 100, 100, static_cast<std::int64_t>(1000 + seq * 100));
    if (random() % 10 != 0) {
      single.single();
      single.set(0, value += random() % 1000);
    }
    for (KeyPart cpu = 0; cpu < static_cast<KeyPart>(2 + seq / 100); ++cpu) {
      if (random() % 15 == 0 || !wide.row(s.texts.intern(cpu % 2 == 0 ? "even" : "odd"), cpu)) continue;
      wide.set(0, seq * 10 + static_cast<std::uint64_t>(cpu));
      wide.set(1, random() % 100 == 0 ? 3 : 0xfffffff0U + seq > 0xffffffffU ? seq : 0xfffffff0U);
      if (random() % 9 != 0) wide.set_gauge(2, static_cast<std::int64_t>(random() % 2000) - 1000);
      wide.set(3, seq * 1000);
    }
    if (seq % 10 == 0) {
      labelled.row(5, s.texts.intern("timer, \"x\""));
      labelled.set(0, seq);
    }
  };
  tick(0);
  prime(s.layout, s.now, s.track);
  packed = hello("one", "boot", s.layout) + schema(s.layout) + all_rows(s.layout);
  lines = names(s.layout);
  std::vector<std::byte> memory(1 << 20);
  base::Arena arena(memory.data(), memory.size());
  FrameDecoder decoder(arena, s.layout);
  for (std::uint64_t seq = 1; seq <= 300; ++seq) {
    tick(seq);
    if (grow(s.layout, s.track)) {
      packed += all_rows(s.layout);
      lines += names(s.layout);
      const std::string base = s.base();
      packed += record(RecordKind::base, base);
      ASSERT_TRUE(decoder.base(base));
    } else if (seq == 1 || seq % 50 == 0) {
      const std::string base = s.base();
      packed += record(RecordKind::base, base);
      ASSERT_TRUE(decoder.base(base));
    }
    if (seq == 120) {
      packed += record(RecordKind::event,
                       "{\"log\":{\"level\":3,\"message\":\"link "
                       "\\u00e4\",\"interface\":\"eth1\",\"kind\":\"link-down\"}}");
      lines +=
          "{\"log\":{\"level\":3,\"message\":\"link "
          "\\u00e4\",\"interface\":\"eth1\",\"kind\":\"link-down\"}}\n";
    }
    const std::string frame = s.frame();
    ASSERT_TRUE(decoder.frame(frame));
    packed += record(RecordKind::frame, frame);
    lines += ndjson(decoder.view());
  }
  PackedReader a;
  NdjsonReader b;
  std::vector<std::map<std::string, std::int64_t>> frames[2];
  std::vector<std::string> others[2];
  std::vector<std::size_t> odd[2];
  ItemReader* const readers[] = {&a, &b};
  const std::string* const inputs[] = {&packed, &lines};
  for (int i = 0; i < 2; ++i) {
    std::string_view in = *inputs[i];
    const auto drain = [&] {
      while (auto item = readers[i]->next()) {
        if (const auto* f = std::get_if<Frame>(&*item)) {
          frames[i].push_back(cells(*f));
          odd[i].push_back(f->odd.size());
          ASSERT_EQ(f->head.seq, frames[i].size());
          ASSERT_EQ(f->head.boot_ns, static_cast<std::int64_t>(f->head.seq) * 100);
        } else if (const auto* l = std::get_if<LogRecord>(&*item)) {
          others[i].push_back(std::to_string(frames[i].size()) + l->message + l->interface + l->kind);
        } else {
          const auto* m = std::get_if<Malformed>(&*item);
          FAIL() << i << " unexpected item " << item->index() << (m != nullptr ? m->why : "");
        }
      }
    };
    while (!in.empty()) {
      const std::size_t n = std::min<std::size_t>(in.size(), 1 + random() % 700);
      readers[i]->feed(in.substr(0, n));
      in.remove_prefix(n);
      drain();
    }
    readers[i]->finish();
    drain();
  }
  ASSERT_EQ(frames[0].size(), 300U);
  ASSERT_EQ(frames[1].size(), 300U);
  for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(frames[0][i], frames[1][i]) << "seq " << i + 1;
  EXPECT_EQ(odd[0], odd[1]);
  const std::vector<std::string> log = {
      "119link \xc3\xa4"
      "eth1link-down"};
  EXPECT_EQ(others[0], log);
  EXPECT_EQ(others[1], log);
}

struct Stream {
  Sender s;
  TableWriter wide{s.layout, s.now, 1};
  std::uint64_t seq = 0;
  Stream() {
    tick();
    prime(s.layout, s.now, s.track);
  }
  void tick() {
    s.begin(seq, static_cast<std::int64_t>(seq) * 100, 100, 0);
    wide.row(s.texts.intern("a"), 0);
    wide.set(0, seq * 7);
    ++seq;
  }
  std::string frame() {
    tick();
    return record(RecordKind::frame, s.frame());
  }
  std::string base() { return record(RecordKind::base, s.base()); }
  // A base and the next frame, in this order (operands of + have none).
  std::string base_and_frame() {
    std::string out = base();
    out += frame();
    return out;
  }
};

TEST(PackedReader, FramesSeenBeforeAreNotReportedAgain) {
  Stream s;
  const std::string head = hello("one", "b", s.s.layout) + schema(s.s.layout) + all_rows(s.s.layout);
  std::string first = s.base_and_frame();
  first += s.frame();
  const std::string third = s.frame();
  PackedReader r;
  std::vector<std::uint64_t> seen;
  for (const std::string& reply : {head + first, head + first + third}) {
    r.feed(reply);
    while (auto item = r.next()) seen.push_back(std::get<Frame>(*item).head.seq);
  }
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(PackedReader, RestartIsToldOnceAndRowsAreNumberedAnew) {
  Stream one;
  PackedReader r;
  r.feed(hello("one", "b", one.s.layout) + schema(one.s.layout) + all_rows(one.s.layout) +
         one.base_and_frame());
  ASSERT_TRUE(std::holds_alternative<Frame>(*r.next()));
  ASSERT_FALSE(r.next());
  // The new instance knows another row first; its schema is left out because the hash is the same.
  Stream two;
  two.wide.row(two.s.texts.intern("b"), 9);
  grow(two.s.layout, two.s.track);
  r.feed(hello("two", "b", two.s.layout) + all_rows(two.s.layout) +
         record(RecordKind::event, "{\"restart\":{\"instance\":\"two\",\"previous\":\"one\"}}") +
         two.base_and_frame());
  auto item = r.next();
  ASSERT_TRUE(item && std::holds_alternative<Restart>(*item));
  EXPECT_EQ(std::get<Restart>(*item).previous_instance, "one");
  EXPECT_FALSE(std::get<Restart>(*item).reboot);
  item = r.next();
  ASSERT_TRUE(item && std::holds_alternative<Frame>(*item)) << item->index();
  EXPECT_EQ(std::get<Frame>(*item).head.seq, 1U);
  EXPECT_EQ(cells(std::get<Frame>(*item)).at("wide/a/0/total"), 7);
  EXPECT_FALSE(r.next());
  r.feed(hello("three", "other boot", two.s.layout));
  item = r.next();
  ASSERT_TRUE(item && std::holds_alternative<Restart>(*item));
  EXPECT_TRUE(std::get<Restart>(*item).reboot);
}

TEST(PackedReader, DamageIsToldOnceAndTheNextReplyIsReadAgain) {
  Stream s;
  const std::string head = hello("one", "b", s.s.layout) + schema(s.s.layout) + all_rows(s.s.layout);
  const std::string base = s.base();
  const std::string frame = s.frame();
  PackedReader r;
  r.feed(head + frame);
  auto item = r.next();
  ASSERT_TRUE(item && std::holds_alternative<Malformed>(*item)) << "a frame without a base";
  r.feed(base + frame);
  EXPECT_FALSE(r.next()) << "nothing of a damaged reply is believed";
  r.restart_input();
  r.feed(head + base + frame.substr(0, frame.size() - 1));
  r.finish();
  item = r.next();
  ASSERT_TRUE(item && std::holds_alternative<Malformed>(*item)) << "cut";
  r.restart_input();
  r.feed(head + base + frame);
  item = r.next();
  ASSERT_TRUE(item && std::holds_alternative<Frame>(*item));
}

TEST(NdjsonReader, ReadsInPlaceInPiecesOfAnySize) {
  std::string text = "# comment\n";
  for (int seq = 1; seq <= 40; ++seq) {
    text += "{\"seq\":" + std::to_string(seq) +
            ",\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"load\":{\"load1\":0.1" + std::to_string(seq % 10) +
            "}}\n";
  }
  for (std::size_t size = 1; size < text.size(); size += 7) {
    NdjsonReader r;
    std::vector<std::uint64_t> seen;
    for (std::size_t at = 0; at < text.size(); at += size) {
      std::string piece = text.substr(at, size);  // gone after the drain
      r.feed_in_place(piece);
      while (auto item = r.next()) {
        const auto& f = std::get<Frame>(*item);
        seen.push_back(f.head.seq);
        ASSERT_EQ(f.cell(0, 0, 0), 10 + static_cast<std::int64_t>(f.head.seq % 10));
      }
      piece.assign(piece.size(), '!');
    }
    ASSERT_EQ(seen.size(), 40U) << size;
  }
}

// Lines with every difficulty for a reader that passes tables over by their brackets alone.
TEST(NdjsonReader, ReadsTheTablesThatAreWantedOnly) {
  const auto line = [](int seq, const std::string& between, int load) {
    return "{\"seq\":" + std::to_string(seq) + ",\"boot_ns\":" + std::to_string(seq) +
           ",\"wall_ns\":2,\"dt_ns\":3" + between + ",\"load\":{\"load1\":0.1" + std::to_string(load) +
           "},\"vm\":{\"pgfault\":5}}\n";
  };
  std::string text;
  text += "{\"names\":{\"irq_cpu\":[{\"irq\":\"24\",\"name\":\"eth0\",\"cpu\":0}]}}\n";
  text += line(1, ",\"irq_cpu\":[{\"irq\":\"24\",\"cpu\":0,\"count\":7}]", 1);
  text += line(2, ",\"irq_cpu\":[{\"irq\":\"24\",\"cpu\":0,\"count\":123456}]", 2);
  text += line(
      3, ",\"irq_cpu\":[{\"irq\":\"a]\",\"cpu\":0},{\"irq\":\"],\",\"cpu\":1},{\"irq\":\"]}\",\"cpu\":2}]",
      3);
  text += line(4, ",\"irq_cpu\":[],\"stat\":{}", 4);
  text += line(5, "", 5);
  text += line(6, ",\"stat\":{\"a\":\"},\\\"b\\\":\",\"deep\":{\"x\":1},\"c\":[1,[2]]}", 6);
  text += line(7, ",\"stat\":{\"ctxt\":1},\"irq_cpu\":[{\"irq\":\"24\",\"cpu\":0,\"count\":1}]",
               7);  // another order
  text += line(8,
               ",\"odd\":[{\"table\":\"stat\",\"column\":\"ctxt\",\"kind\":\"reset\"}],\"intervals\":{"
               "\"stat\":9,\"load\":8}",
               8);
  text += "{\"gap\":{\"from\":9,\"to\":10}}\n";
  text += line(11, ",\"bare\":17", 9);
  for (std::size_t size = 1; size < text.size(); size += 31) {
    NdjsonReader r;
    constexpr std::string_view kWanted[] = {"load", "never_seen"};
    r.only(kWanted);
    std::vector<std::int64_t> loads;
    std::size_t gaps = 0;
    for (std::size_t at = 0; at < text.size(); at += size) {
      const std::string piece = text.substr(at, size);
      r.feed_in_place(piece);
      while (auto item = r.next()) {
        if (std::holds_alternative<Gap>(*item)) {
          ++gaps;
          continue;
        }
        ASSERT_TRUE(std::holds_alternative<Frame>(*item)) << std::get<Malformed>(*item).why;
        const auto& f = std::get<Frame>(*item);
        ASSERT_EQ(f.layout->table_count, 1U);
        ASSERT_EQ(f.layout->tables[0].schema->table, "load");
        loads.push_back(f.cell(0, 0, 0).value_or(-1));
        ASSERT_EQ(f.intervals_ns[0], f.head.seq == 8 ? 8 : 3);
      }
    }
    ASSERT_EQ(loads, (std::vector<std::int64_t>{11, 12, 13, 14, 15, 16, 17, 18, 19})) << size;
    ASSERT_EQ(gaps, 1U);
  }
}

TEST(NdjsonReader, ACutLineIsNoticedAlsoWithinATablePassedOver) {
  NdjsonReader r;
  constexpr std::string_view kWanted[] = {"load"};
  r.only(kWanted);
  const std::string whole =
      "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"irq_cpu\":[{\"irq\":\"24\",\"cpu\":0,\"count\":7}"
      "]}";
  r.feed(whole + "\n");
  ASSERT_TRUE(std::holds_alternative<Frame>(*r.next()));
  for (std::size_t cut = 60; cut < whole.size(); ++cut) {
    r.feed(whole.substr(0, cut) + "\n");
    const auto item = r.next();
    ASSERT_TRUE(item && std::holds_alternative<Malformed>(*item)) << whole.substr(0, cut);
  }
}

std::vector<std::string> kinds(std::string_view text) {
  NdjsonReader r;
  r.feed(text);
  r.finish();
  std::vector<std::string> out;
  static constexpr const char* kNames[] = {"frame", "gap", "restart", "trigger",
                                           "log",   "bye", "other",   "malformed"};
  while (auto item = r.next()) out.emplace_back(kNames[item->index()]);
  return out;
}

TEST(NdjsonReader, TellsLineKindsApart) {
  EXPECT_EQ(kinds("# heartbeat seq=9\n"
                  "{\"capture\":{\"id\":3}}\n"
                  "{\"trigger\":{\"id\":1,\"cause\":\"busy>=0.95\",\"value\":1,\"seq\":5}}\n"
                  "{\"seq\":5,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3}\n"
                  "{\"gap\":{\"from\":6,\"to\":8}}\n"
                  "\n"
                  "{\"gap\":{}}\n"
                  "not json\n"
                  "{\"seq\":9,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3}\n"
                  "{\"bye\":{\"reason\":\"SIGTERM\"}}\n"
                  "{\"seq\":10,\"boot_ns\":1,\"wall_"),
            (std::vector<std::string>{"other", "trigger", "frame", "gap", "malformed", "malformed", "frame",
                                      "bye", "malformed"}));
}

TEST(NdjsonReader, KeepsTablesAndColumnsItHasNeverHeardOf) {
  NdjsonReader r;
  r.feed(
      "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"new_table\":[{\"name\":\"x\",\"a\":1.25},{"
      "\"name\":\"y\",\"a\":-2.50}],"
      "\"load\":{\"load1\":0.12,\"novel\":7}}\n"
      "{\"seq\":2,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"new_table\":[{\"name\":\"x\",\"a\":3.00}],"
      "\"load\":{\"load1\":0.13,\"novel\":8}}\n");
  auto item = r.next();
  ASSERT_TRUE(item);
  EXPECT_EQ(cells(std::get<Frame>(*item)),
            (std::map<std::string, std::int64_t>{
                {"new_table/x/a", 125}, {"new_table/y/a", -250}, {"load/load1", 12}, {"load/novel", 7}}));
  item = r.next();
  ASSERT_TRUE(item);
  EXPECT_EQ(
      cells(std::get<Frame>(*item)),
      (std::map<std::string, std::int64_t>{{"new_table/x/a", 300}, {"load/load1", 13}, {"load/novel", 8}}));
}

// The first line teaches the shape, the others are read by it.
TEST(NdjsonReader, NumbersOfEveryLengthAreReadByAKnownShape) {
  constexpr std::int64_t kNumbers[] = {
      5,         0,          -1,          12,         -12,          123,           1234,
      12345,     123456,     1234567,     12345678,   99999999,     123456789,     10000000000,
      -12345678, 1000000000, 98765432109, -987654321, 999999999999, 1234567890123, 9223372036854775807};
  std::string text;
  for (const std::int64_t n : kNumbers) {
    const std::string digits = std::to_string(n);
    text += "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"stat\":{\"ctxt\":" + digits +
            ",\"intr\":" + digits + "},\"vm\":{\"pgfault\":" + digits + "}}\n";
  }
  NdjsonReader r;
  r.feed(text);
  for (const std::int64_t n : kNumbers) {
    const auto item = r.next();
    ASSERT_TRUE(item && std::holds_alternative<Frame>(*item)) << n;
    EXPECT_EQ(cells(std::get<Frame>(*item)),
              (std::map<std::string, std::int64_t>{{"stat/ctxt", n}, {"stat/intr", n}, {"vm/pgfault", n}}));
  }
  EXPECT_FALSE(r.next());
}

TEST(NdjsonReader, WhatIsNoNumberIsNoNumberInAKnownShapeEither) {
  const auto line = [](const std::string& value) {
    return "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"stat\":{\"ctxt\":" + value +
           ",\"intr\":7}}\n";
  };
  for (const char* bad : {"", "-", "1x", "1e5", "99999999999999999999", "[1]", ":1", "/1", "1:2"}) {
    NdjsonReader r;
    r.feed(line("1") + line(bad) + line("2"));
    ASSERT_TRUE(std::holds_alternative<Frame>(*r.next()));
    EXPECT_TRUE(std::holds_alternative<Malformed>(*r.next())) << bad;
    EXPECT_TRUE(std::holds_alternative<Frame>(*r.next())) << bad;
  }
  // Odd, but JSON: a fraction where whole numbers are usual, and an absent value.
  NdjsonReader r;
  r.feed(line("1") + line("2.9") + line("null") + line(" 4"));
  constexpr std::optional<std::int64_t> kExpected[] = {1, 2, std::nullopt, 4};
  for (const auto& expected : kExpected) {
    const auto item = r.next();
    const auto read = cells(std::get<Frame>(*item));
    EXPECT_EQ(read.at("stat/intr"), 7);
    EXPECT_EQ(read.count("stat/ctxt") != 0 ? std::optional(read.at("stat/ctxt")) : std::nullopt, expected);
  }
}

TEST(NdjsonReader, AColumnThatOnlyALaterRowHasMovesNoOtherCell) {
  const std::string line =
      "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"new_table\":[{\"name\":\"x\",\"a\":1,\"b\":2},"
      "{\"name\":\"y\",\"a\":3,\"b\":4,\"c\":5}]}\n";
  NdjsonReader r;
  r.feed(line + line);
  for (int i = 0; i < 2; ++i) {
    const auto item = r.next();
    ASSERT_TRUE(item && std::holds_alternative<Frame>(*item));
    EXPECT_EQ(cells(std::get<Frame>(*item)), (std::map<std::string, std::int64_t>{{"new_table/x/a", 1},
                                                                                  {"new_table/x/b", 2},
                                                                                  {"new_table/y/a", 3},
                                                                                  {"new_table/y/b", 4},
                                                                                  {"new_table/y/c", 5}}));
  }
}

TEST(NdjsonReader, DamagedSamplesAreToldWithTheirLine) {
  for (const char* bad : {"{\"seq\":1}", "{\"seq\":0,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3}",
                          "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3",
                          "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3}}",
                          "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"load\":[1]}",
                          "{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3,\"cpu\":[{\"user\":1}]}",
                          "{\"seq\":99999999999999999999,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3}"}) {
    NdjsonReader r;
    r.feed("# comment\n" + std::string(bad) + "\n{\"seq\":7,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":3}\n");
    auto item = r.next();
    ASSERT_TRUE(item && std::holds_alternative<Malformed>(*item)) << bad;
    EXPECT_EQ(std::get<Malformed>(*item).line, 2U) << bad;
    item = r.next();
    ASSERT_TRUE(item && std::holds_alternative<Frame>(*item)) << "the next line is read: " << bad;
  }
}

TEST(Derived, BusyRatioIsCappedAndUsesTheRealInterval) {
  const auto busy = [](const char* interval, const char* cpu) {
    NdjsonReader r;
    r.feed(std::string("{\"seq\":1,\"boot_ns\":1,\"wall_ns\":2,\"dt_ns\":") + interval +
           ",\"cpu\":[{\"cpu\":0," + cpu + "}]}\n");
    auto item = r.next();
    return busy_ratio(std::get<Frame>(*item), 0);
  };
  // 11 ticks in 100.3 ms; 5 ticks in 137 ms = 0.05 / 0.137; iowait and idle are not busy.
  EXPECT_DOUBLE_EQ(*busy("100300000", "\"user\":11,\"nice\":0,\"system\":0,\"idle\":0"), 1.0);
  EXPECT_NEAR(
      *busy("137000000",
            "\"user\":2,\"nice\":1,\"system\":1,\"idle\":5,\"iowait\":3,\"irq\":0,\"softirq\":1,\"steal\":0"),
      0.36496, 1e-5);
  EXPECT_FALSE(busy("100000000", "\"idle\":5").has_value()) << "absent is not idle";
  EXPECT_FALSE(busy("0", "\"user\":1,\"nice\":0,\"system\":0,\"idle\":5").has_value());
}

}  // namespace
}  // namespace mikroscope::proc
