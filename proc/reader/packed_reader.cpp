#include <algorithm>

#include "proc/reader/events.h"
#include "proc/reader/host_layout.h"
#include "proc/reader/reader.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxPayload = 16U << 20;

// Reads a schema record into a layout of its own: the sender's tables in the sender's order.
std::unique_ptr<HostLayout> read_schema(std::string_view payload) {
  ByteReader in(payload);
  auto layout = std::make_unique<HostLayout>();
  const std::uint64_t tables = in.bounded(kMaxTables);
  for (std::uint64_t i = 0; i < tables && in.ok(); ++i) {
    const std::string_view name = in.text();
    const Schema* const known = builtin_schema(name);
    auto schema = std::make_unique<OwnedSchema>(name, known != nullptr ? known->help : std::string_view());
    const std::uint64_t keys = in.bounded(kMaxKeys);
    for (std::uint64_t k = 0; k < keys && in.ok(); ++k) {
      const std::string_view key = in.text();
      const std::uint8_t flags = in.byte();
      schema->add_key(key, (flags & 1) != 0, (flags & 2) != 0);
    }
    const std::uint64_t columns = in.bounded(kMaxColumns);
    for (std::uint64_t c = 0; c < columns && in.ok(); ++c) {
      const std::string_view column_name = in.text();
      const std::uint8_t flags = in.byte();
      Column column;
      column.kind = (flags & 1) != 0 ? Kind::counter : Kind::gauge;
      column.predict = (flags & 2) != 0 ? Predict::above : Predict::previous;
      column.width = (flags & 4) != 0 ? Width::bits32 : Width::bits64;
      column.decimals = static_cast<std::uint8_t>(std::min<int>(in.byte(), 18));
      unit_from_name(in.text(), column.unit);
      const int at = known != nullptr ? known->column(column_name) : -1;
      schema->add_column(column_name, column,
                         at >= 0 ? known->columns[static_cast<std::size_t>(at)].help : "");
    }
    if (!in.ok() || layout->add_table(std::move(schema)) < 0) return nullptr;
  }
  return in.ok() && in.left() == 0 ? std::move(layout) : nullptr;
}

std::unique_ptr<OwnedSchema> copy_of(const Schema& s) {
  auto copy = std::make_unique<OwnedSchema>(s.table, s.help);
  for (const KeyColumn& k : s.keys) copy->add_key(k.name, k.text, k.label);
  for (const Column& c : s.columns) copy->add_column(c.name, c, c.help);
  return copy;
}

}  // namespace

// Two layouts: `wire_` mirrors the sender (its order, anew for each instance), `local_` is what callers see
// and only ever grows. Rows are mapped by key from one to the other.
struct PackedReader::Impl final : Core {
  std::string buffer;
  std::size_t consumed = 0;
  bool broken = false;

  StreamInfo info;
  std::string told_instance;  // whose start was reported because of its hello
  std::unique_ptr<HostLayout> wire;
  std::vector<std::byte> decoder_memory;
  std::uint64_t decoder_generation = 0;
  FrameDecoder decoder;

  HostLayout local;
  std::vector<std::uint32_t> table_map;             // wire table -> local table
  std::vector<std::vector<std::uint32_t>> row_map;  // wire table, wire row -> local row

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
      // The tables stay (a reply may leave the schema out where its hash is known); rows are numbered anew.
      if (wire) {
        auto fresh = std::make_unique<HostLayout>();
        for (const Table& t : wire->layout().all()) fresh->add_table(copy_of(*t.schema));
        adopt(std::move(fresh));
      }
    }
    info.instance = h.instance;
    info.boot_id = h.boot_id;
    info.user_hz = h.user_hz;
    info.rate_hz = h.rate_hz;
  }

  void schema(std::string_view payload) {
    std::unique_ptr<HostLayout> read = read_schema(payload);
    if (!read) return fail("packed stream: damaged schema record");
    if (wire && same_schemas(wire->layout(), read->layout())) return;  // sent again: the rows known stay
    adopt(std::move(read));
  }

  void adopt(std::unique_ptr<HostLayout> fresh) {
    wire = std::move(fresh);
    decoder = {};
    table_map.clear();
    row_map.assign(wire->layout().table_count, {});
    for (std::uint32_t i = 0; i < wire->layout().table_count; ++i) {
      const Schema& s = *wire->layout().tables[i].schema;
      table_map.push_back(local_table(s));
      if (s.keys.empty()) row_map[i].push_back(0);
    }
  }

  static bool same_schemas(const Layout& a, const Layout& b) {
    if (a.table_count != b.table_count || schema_hash(a) != schema_hash(b)) return false;
    for (std::uint32_t i = 0; i < a.table_count; ++i) {
      if (a.tables[i].schema->table != b.tables[i].schema->table ||
          a.tables[i].schema->columns.size() != b.tables[i].schema->columns.size()) {
        return false;
      }
    }
    return true;
  }

  // The local table for a wire schema. A sender of another version may have other columns under a known name:
  // such a table is kept apart only if its columns differ, by replacing the local schema with the wire's.
  std::uint32_t local_table(const Schema& s) {
    const int found = local.layout().find(s.table);
    auto copy = copy_of(s);
    if (found < 0) return static_cast<std::uint32_t>(local.add_table(std::move(copy)));
    const Schema& old = *local.layout().tables[found].schema;
    const auto same = [](const Column& a, const Column& b) {
      return a.name == b.name && a.decimals == b.decimals;
    };
    if (!std::equal(old.columns.begin(), old.columns.end(), s.columns.begin(), s.columns.end(), same)) {
      local.replace_schema(static_cast<std::uint32_t>(found), std::move(copy));
    }
    return static_cast<std::uint32_t>(found);
  }

  void rows_record(std::string_view payload) {
    if (!wire) return fail("packed stream: rows before a schema");
    ByteReader in(payload);
    const auto table = static_cast<std::uint32_t>(in.varint());
    const std::uint64_t first = in.varint();
    const std::uint64_t count = in.varint();
    if (!in.ok() || table >= wire->layout().table_count) return fail("packed stream: damaged rows record");
    const Schema& s = *wire->layout().tables[table].schema;
    if (s.keys.empty() || first > wire->layout().tables[table].rows)
      return fail("packed stream: rows out of order");
    for (std::uint64_t r = 0; r < count; ++r) {
      const std::uint64_t first_seq = in.varint();
      RowKey key;
      RowKey local_key;
      for (std::size_t k = 0; k < s.keys.size(); ++k) {
        if (s.keys[k].text) {
          const std::string_view text = in.text();
          key.part[k] = wire->intern(text);
          local_key.part[k] = local.intern(text);
        } else {
          key.part[k] = local_key.part[k] = static_cast<KeyPart>(in.signed_varint());
        }
      }
      if (!in.ok()) return fail("packed stream: damaged rows record");
      if (first + r < wire->layout().tables[table].rows) continue;  // sent again
      const std::uint32_t local_index = table_map[table];
      int local_row = local.layout().find_row(local_index, local_key);
      if (local_row < 0) local_row = local.add_row(local_index, local_key, first_seq);
      if (local_row < 0 || wire->add_row(table, key, first_seq) < 0) {
        return fail("packed stream: more rows than this program holds");
      }
      row_map[table].push_back(static_cast<std::uint32_t>(local_row));
    }
  }

  bool ensure_decoder() {
    if (!wire) return false;
    if (decoder.usable() && decoder_generation == wire->generation()) return true;
    const Layout& l = wire->layout();
    decoder_memory.assign(std::size_t{l.slots} * 18 + 256, std::byte{});
    base::Arena arena(decoder_memory.data(), decoder_memory.size());
    decoder = FrameDecoder(arena, l);
    decoder_generation = wire->generation();
    return decoder.usable();
  }

  void base(std::string_view payload) {
    if (!ensure_decoder() || !decoder.base(payload)) fail("packed stream: damaged base record");
  }

  void frame(std::string_view payload) {
    // Rows that came after the last base and did not fit made a new decoder necessary: it waits for a base.
    if (!wire || !decoder.usable() || decoder_generation != wire->generation() || !decoder.frame(payload)) {
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
    const Layout& l = local.layout();
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
      const Table& to = l.tables[table_map[i]];
      intervals[table_map[i]] = v.interval_ns(i);
      for (std::uint32_t r = 0; r < v.rows[i]; ++r) {
        for (std::uint32_t c = 0; c < from.columns(); ++c) {
          const std::uint32_t slot = from.slot(r, c);
          if (v.live[slot] == 0) continue;
          const std::uint32_t out = to.slot(row_map[i][r], c);
          totals[out] = v.now[slot];
          if (from.schema->columns[c].kind == Kind::gauge) {
            values[out] = static_cast<std::int64_t>(v.now[slot]);
            present[out] = 1;
            continue;
          }
          const Delta d = v.delta(i, r, c);
          if (d.kind != DeltaKind::normal && d.kind != DeltaKind::absent) {
            odd.push_back({table_map[i], row_map[i][r], c, d.kind});
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
  return impl().local.layout();
}

const Layout& PackedReader::wire_layout() const {
  static const Layout kNone;
  return impl().wire ? impl().wire->layout() : kNone;
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
