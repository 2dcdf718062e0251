#include <algorithm>

#include "proc/reader/events.h"
#include "proc/reader/reader.h"
#include "proc/reader/wire_tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxPayload = 16U << 20;

}  // namespace

struct PackedReader::Impl final : Core {
  std::string buffer;
  std::size_t consumed = 0;
  bool broken = false;

  StreamInfo info;
  std::string told_instance;  // whose start was reported because of its hello
  WireTables tables;
  std::vector<std::byte> decoder_memory;
  std::uint64_t decoder_generation = 0;
  FrameDecoder decoder;

  std::uint64_t last_seq = 0;
  std::vector<Item> held;  // events that belong to the next frame

  std::vector<std::int64_t> values;
  std::vector<std::uint8_t> present;
  std::vector<std::uint64_t> totals;
  std::vector<std::int64_t> intervals;
  std::vector<std::uint32_t> rows;
  std::vector<OddCell> odd;

  void fail(std::string why) {
    broken = true;
    ready.emplace_back(Malformed{std::move(why), 0});
  }

  void hello(std::string_view payload) {
    held.clear();  // this reply carries the events after the last frame again
    Hello h;
    if (!read_hello(payload, h)) return fail("packed stream: damaged hello record");
    if (h.version != kWireVersion) {
      return fail("packed stream: wire version " + std::to_string(h.version) +
                  ", this program reads version " + std::to_string(kWireVersion));
    }
    if (!info.instance.empty() && info.instance != h.instance) {
      Restart restart{std::string(h.instance), info.instance, false};
      restart.reboot = !info.boot_id.empty() && !h.boot_id.empty() && info.boot_id != h.boot_id;
      ready.emplace_back(std::move(restart));
      told_instance = h.instance;
      last_seq = 0;
      tables.renew();
      decoder = {};
    }
    info.instance = h.instance;
    info.boot_id = h.boot_id;
    info.user_hz = h.user_hz;
    info.rate_hz = h.rate_hz;
  }

  void schema(std::string_view payload) {
    switch (tables.read_schema(payload)) {
      case WireTables::Adoption::kept:
        break;
      case WireTables::Adoption::adopted:
        decoder = {};
        break;
      case WireTables::Adoption::damaged:
        fail("packed stream: damaged schema record");
    }
  }

  void rows_record(std::string_view payload) {
    if (const char* const wrong = tables.read_rows(payload); wrong != nullptr) fail(wrong);
  }

  bool ensure_decoder() {
    if (!tables.known()) return false;
    if (decoder.usable() && decoder_generation == tables.generation()) return true;
    const Layout& l = tables.wire();
    decoder_memory.assign(std::size_t{l.slots} * 18 + 256, std::byte{});
    base::Arena arena(decoder_memory.data(), decoder_memory.size());
    decoder = FrameDecoder(arena, l);
    decoder_generation = tables.generation();
    return decoder.usable();
  }

  void base(std::string_view payload) {
    if (!ensure_decoder() || !decoder.base(payload)) fail("packed stream: damaged base record");
  }

  void frame(std::string_view payload) {
    // Rows that came after the last base and did not fit made a new decoder necessary: it waits for a base.
    if (!decoder.usable() || decoder_generation != tables.generation() || !decoder.frame(payload)) {
      return fail("packed stream: damaged frame record, or one without its base");
    }
    const FrameView v = decoder.view();
    if (v.head.seq <= last_seq) {
      held.clear();
      return;
    }
    last_seq = v.head.seq;
    for (Item& item : held) ready.push_back(std::move(item));
    held.clear();
    ready.emplace_back(make_frame(v));
  }

  Frame make_frame(const FrameView& v) {
    const Layout& l = tables.local();
    values.resize(l.slots);
    totals.resize(l.slots);
    present.assign(l.slots, 0);
    intervals.assign(l.table_count, v.head.dt_ns);
    rows.resize(l.table_count);
    odd.clear();
    for (std::uint32_t i = 0; i < l.table_count; ++i) rows[i] = l.tables[i].rows;
    for (std::uint32_t i = 0; i < v.layout->table_count; ++i) {
      if (!v.has_table(i)) continue;
      const Table& from = v.layout->tables[i];
      const Table& to = l.tables[tables.local_table(i)];
      intervals[tables.local_table(i)] = v.interval_ns(i);
      for (std::uint32_t r = 0; r < v.rows[i]; ++r) {
        for (std::uint32_t c = 0; c < from.columns(); ++c) {
          const std::uint32_t slot = from.slot(r, c);
          if (v.live[slot] == 0) continue;
          const std::uint32_t out = to.slot(tables.local_row(i, r), c);
          totals[out] = v.now[slot];
          if (from.schema->columns[c].kind == Kind::gauge) {
            values[out] = static_cast<std::int64_t>(v.now[slot]);
            present[out] = 1;
            continue;
          }
          const Delta d = v.delta(i, r, c);
          if (d.kind != DeltaKind::normal && d.kind != DeltaKind::absent) {
            odd.push_back({tables.local_table(i), tables.local_row(i, r), c, d.kind});
          }
          if (!d.has_value()) continue;
          values[out] = static_cast<std::int64_t>(d.value);
          present[out] = 1;
        }
      }
    }
    Frame f;
    f.head = v.head;
    f.layout = &l;
    f.values = values.data();
    f.present = present.data();
    f.totals = totals.data();
    f.intervals_ns = intervals.data();
    f.odd = odd;
    f.rows = rows;
    return f;
  }

  void event(std::string_view payload) {
    Item item = parse_event(payload, 0);
    if (auto* restart = std::get_if<Restart>(&item)) {
      // The hello of the same reply already told it.
      if (restart->instance == told_instance) return;
      last_seq = 0;
      ready.push_back(std::move(item));
    } else if (std::holds_alternative<Gap>(item) || std::holds_alternative<Bye>(item)) {
      ready.push_back(std::move(item));
    } else {
      held.push_back(std::move(item));
    }
  }

  void step() override {
    while (ready.empty() && !broken) {
      std::string_view in = std::string_view(buffer).substr(consumed);
      Record record;
      const int got = read_record(in, record, kMaxPayload);
      if (got == 0) {
        if (finished && !in.empty()) fail("packed stream: cut inside a record");
        break;
      }
      if (got < 0) {
        fail("packed stream: not a record of this format");
        break;
      }
      switch (record.kind) {
        case RecordKind::hello:
          hello(record.payload);
          break;
        case RecordKind::schema:
          schema(record.payload);
          break;
        case RecordKind::rows:
          rows_record(record.payload);
          break;
        case RecordKind::base:
          base(record.payload);
          break;
        case RecordKind::frame:
          frame(record.payload);
          break;
        case RecordKind::event:
          event(record.payload);
          break;
      }
      consumed = buffer.size() - in.size();
    }
    if (ready.empty() && finished && !held.empty()) {
      for (Item& item : held) ready.push_back(std::move(item));
      held.clear();
    }
  }
};

PackedReader::PackedReader() : ItemReader(std::make_unique<Impl>()) {}
PackedReader::~PackedReader() = default;

PackedReader::Impl& PackedReader::impl() const {
  return static_cast<Impl&>(core());
}

void PackedReader::feed(std::string_view bytes) {
  Impl& i = impl();
  if (i.broken) return;
  i.finished = false;
  if (i.consumed != 0) {
    i.buffer.erase(0, i.consumed);
    i.consumed = 0;
  }
  i.buffer.append(bytes);
}

const Layout& PackedReader::layout() const {
  return impl().tables.local();
}

const Layout& PackedReader::wire_layout() const {
  return impl().tables.wire();
}

const StreamInfo& PackedReader::info() const {
  return impl().info;
}

FrameView PackedReader::view() const {
  return impl().decoder.view();
}

void PackedReader::restart_input() {
  Impl& i = impl();
  i.buffer.clear();
  i.consumed = 0;
  i.broken = false;
  i.finished = false;
  i.held.clear();
}

}  // namespace mikroscope::proc
