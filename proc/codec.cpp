#include "proc/codec.h"

#include <cstring>

namespace mikroscope::proc {
namespace {

// Cells are a sequence of tokens. Low bit 1: (token >> 1) + 1 cells that are as predicted. Low bit 0: one
// cell, its zigzag difference from the prediction in the other bits; a difference that needs the 64th bit
// follows an escape token (the literal 0, which can otherwise not occur).
class CellWriter {
 public:
  explicit CellWriter(ByteWriter& out) : out_(out) {}
  void same(std::uint32_t cells) { run_ += cells; }
  void cell(std::uint64_t difference) {
    if (difference == 0) {
      ++run_;
      return;
    }
    flush();
    const std::uint64_t z = zigzag(difference);
    if (z >> 63 != 0) {
      out_.byte(0);
      out_.varint(z);
    } else {
      out_.varint(z << 1);
    }
  }
  void flush() {
    if (run_ != 0) out_.varint(static_cast<std::uint64_t>(run_ - 1) << 1 | 1);
    run_ = 0;
  }

 private:
  ByteWriter& out_;
  std::uint32_t run_ = 0;
};

class CellReader {
 public:
  explicit CellReader(ByteReader& in) : in_(in) {}
  // Cells at the head of what follows that are as predicted, at most `most`; they are consumed.
  std::uint32_t same(std::uint32_t most) {
    fill();
    const std::uint32_t n = run_ < most ? static_cast<std::uint32_t>(run_) : most;
    run_ -= n;
    return n;
  }
  std::uint64_t cell() {
    fill();
    if (run_ != 0) {
      --run_;
      return 0;
    }
    literal_ready_ = false;
    return literal_;
  }
  bool finished() const { return run_ == 0 && !literal_ready_; }

 private:
  void fill() {
    if (run_ != 0 || literal_ready_) return;
    const std::uint64_t token = in_.varint();
    if (!in_.ok()) return;
    if ((token & 1) != 0) {
      run_ = (token >> 1) + 1;
      return;
    }
    literal_ = unzigzag(token == 0 ? in_.varint() : token >> 1);
    literal_ready_ = true;
  }

  ByteReader& in_;
  std::uint64_t run_ = 0;
  std::uint64_t literal_ = 0;
  bool literal_ready_ = false;
};

// Cells of a table with columns that are predicted from the row above.
void write_cells_above(CellWriter& cells, const Table& t, std::uint32_t rows, const std::uint64_t* before,
                       const std::uint64_t* now) {
  const std::uint32_t columns = t.columns();
  std::uint32_t s = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t c = 0; c < columns; ++c, ++s) {
      std::uint64_t step = now[s] - before[s];
      if (t.schema->columns[c].predict == Predict::above && row != 0)
        step -= now[s - columns] - before[s - columns];
      cells.cell(step);
    }
  }
}

// memcmp() of small C libraries compares byte by byte; these arrays are compared at every tick.
bool same_values(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count) {
  for (; count >= 4; count -= 4, a += 4, b += 4) {
    if (((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])) != 0) return false;
  }
  for (; count != 0; --count) {
    if (*a++ != *b++) return false;
  }
  return true;
}

bool same_flags(const std::uint8_t* a, const std::uint8_t* b, std::uint32_t count) {
  for (; count >= 8; count -= 8, a += 8, b += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if (x != y) return false;
  }
  for (; count != 0; --count) {
    if (*a++ != *b++) return false;
  }
  return true;
}

// Runs of slots whose live flag changes, over the used slots of the tables in `tables`, in slot order.
template <class Visit>
std::uint32_t for_each_toggle(const Layout& layout, const std::uint32_t* rows, std::uint64_t tables,
                              const std::uint8_t* before, const std::uint8_t* now, Visit visit) {
  std::uint32_t runs = 0;
  std::uint32_t since = 0;   // unchanged slots since the last run
  std::uint32_t length = 0;  // of the run being counted
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    if ((tables >> i & 1) == 0) continue;
    const Table& t = layout.tables[i];
    const std::uint32_t used = rows[i] * t.columns();
    const std::uint8_t* const a = before + t.slot0;
    const std::uint8_t* const b = now + t.slot0;
    if (length == 0 && same_flags(a, b, used)) {
      since += used;
      continue;
    }
    for (std::uint32_t s = 0; s < used; ++s) {
      if (a[s] != b[s]) {
        ++length;
        continue;
      }
      if (length != 0) {
        visit(since, length);
        ++runs;
        since = 0;
        length = 0;
      }
      ++since;
    }
  }
  if (length != 0) {
    visit(since, length);
    ++runs;
  }
  return runs;
}

enum FrameFlag : std::uint8_t { kTablesChanged = 1, kLiveChanged = 2, kDtDiffers = 4, kWallDrifts = 8 };

}  // namespace

int read_record(std::string_view& in, Record& out, std::size_t max_payload) {
  if (in.empty()) return 0;
  std::uint64_t length = 0;
  std::size_t at = 1;
  for (int shift = 0;; shift += 7) {
    if (at == in.size()) return 0;
    if (shift > 28) return -1;
    const auto b = static_cast<std::uint8_t>(in[at++]);
    length |= static_cast<std::uint64_t>(b & 0x7F) << shift;
    if (b < 0x80) break;
  }
  if (length > max_payload) return -1;
  switch (static_cast<RecordKind>(in[0])) {
    case RecordKind::hello:
    case RecordKind::schema:
    case RecordKind::rows:
    case RecordKind::base:
    case RecordKind::frame:
    case RecordKind::event:
      break;
    default:
      return -1;
  }
  if (length > in.size() - at) return 0;
  out = {static_cast<RecordKind>(in[0]), in.substr(at, static_cast<std::size_t>(length))};
  in.remove_prefix(at + static_cast<std::size_t>(length));
  return 1;
}

std::size_t record_head(RecordKind kind, std::size_t payload_size, char out[1 + kMaxVarint]) {
  ByteWriter w(out, 1 + kMaxVarint);
  w.byte(static_cast<std::uint8_t>(kind));
  w.varint(payload_size);
  return w.size();
}

void write_hello(ByteWriter& out, const Hello& hello) {
  out.varint(hello.version);
  out.text(hello.instance);
  out.text(hello.boot_id);
  out.varint(hello.user_hz);
  out.varint(hello.rate_hz);
  out.varint(hello.schema_hash);
}

bool read_hello(std::string_view payload, Hello& out) {
  ByteReader in(payload);
  out.version = static_cast<std::uint32_t>(in.bounded(UINT32_MAX));
  out.instance = in.text();
  out.boot_id = in.text();
  out.user_hz = static_cast<std::uint32_t>(in.bounded(1000000));
  out.rate_hz = static_cast<std::uint32_t>(in.bounded(1000000));
  out.schema_hash = static_cast<std::uint32_t>(in.bounded(UINT32_MAX));
  return in.ok();
}

void write_schema(ByteWriter& out, const Layout& layout) {
  out.varint(layout.table_count);
  for (const Table& t : layout.all()) {
    out.text(t.schema->table);
    out.varint(t.schema->keys.size());
    for (const KeyColumn& k : t.schema->keys) {
      out.text(k.name);
      out.byte(static_cast<std::uint8_t>((k.text ? 1 : 0) | (k.label ? 2 : 0)));
    }
    out.varint(t.schema->columns.size());
    for (const Column& c : t.schema->columns) {
      out.text(c.name);
      out.byte(static_cast<std::uint8_t>((c.kind == Kind::counter ? 1 : 0) |
                                         (c.predict == Predict::above ? 2 : 0) |
                                         (resolve(c.width) == Width::bits32 ? 4 : 0)));
      out.byte(c.decimals);
      out.text(unit_name(c.unit));
    }
  }
}

std::uint32_t schema_hash(const Layout& layout) {
  // Hashes piece by piece, so that no buffer for the whole is needed.
  char buffer[512];
  std::uint32_t h = 2166136261U;
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    const auto add = [&](std::string_view bytes) {
      for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
    };
    const Schema& s = *layout.tables[i].schema;
    add(s.table);
    for (const KeyColumn& k : s.keys) {
      add(k.name);
      add(k.text ? "t" : "i");
    }
    for (const Column& c : s.columns) {
      ByteWriter w(buffer, sizeof buffer);
      w.text(c.name);
      w.byte(static_cast<std::uint8_t>(c.kind));
      w.byte(static_cast<std::uint8_t>(resolve(c.width)));
      w.byte(c.decimals);
      w.text(unit_name(c.unit));
      add(w.view());
    }
  }
  return h;
}

void write_rows(ByteWriter& out, const Layout& layout, std::uint32_t table, std::uint32_t first,
                std::uint32_t count) {
  const Table& t = layout.tables[table];
  out.varint(table);
  out.varint(first);
  out.varint(count);
  for (std::uint32_t r = first; r < first + count; ++r) {
    out.varint(t.first_seq[r]);
    for (std::size_t k = 0; k < t.schema->keys.size(); ++k) {
      if (t.schema->keys[k].text) {
        out.text((*layout.texts)[t.keys[r].part[k]]);
      } else {
        out.signed_varint(t.keys[r].part[k]);
      }
    }
  }
}

Track make_track(base::Arena& arena, const Layout& layout) {
  Track track;
  track.values = arena.make<std::uint64_t>(layout.slots);
  track.live = arena.make<std::uint8_t>(layout.slots);
  if (track.live == nullptr) track.values = nullptr;
  for (std::uint32_t i = 0; i < layout.table_count; ++i) track.rows[i] = layout.tables[i].rows;
  return track;
}

void copy_track(const Layout& layout, const Track& from, Track& to) {
  std::uint64_t* const values = to.values;
  std::uint8_t* const live = to.live;
  to = from;
  to.values = values;
  to.live = live;
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    const Table& t = layout.tables[i];
    const std::uint32_t used = from.rows[i] * t.columns();
    std::memcpy(values + t.slot0, from.values + t.slot0, used * sizeof(std::uint64_t));
    std::memcpy(live + t.slot0, from.live + t.slot0, used);
  }
}

void prime(const Layout& layout, const State& first, Track& track) {
  grow(layout, track);
  track.head = first.head;
  track.tables = first.tables;
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    if (!first.has_table(i)) continue;
    const Table& t = layout.tables[i];
    std::memcpy(track.values + t.slot0, first.values + t.slot0, t.used_slots() * sizeof(std::uint64_t));
    std::memcpy(track.live + t.slot0, first.present + t.slot0, t.used_slots());
    track.read_boot_ns[i] = first.head.boot_ns;
  }
}

bool grow(const Layout& layout, Track& track) {
  bool grown = false;
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    grown |= track.rows[i] != layout.tables[i].rows;
    track.rows[i] = layout.tables[i].rows;
  }
  return grown;
}

void write_base(ByteWriter& out, const Layout& layout, const Track& track) {
  out.varint(track.head.seq);
  out.signed_varint(track.head.boot_ns);
  out.signed_varint(track.head.wall_ns);
  out.signed_varint(track.head.dt_ns);
  out.varint(track.tables);
  out.varint(layout.table_count);
  CellWriter live(out);
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    out.varint(track.rows[i]);
    out.varint(track.read_boot_ns[i] == 0
                   ? 0
                   : static_cast<std::uint64_t>(track.head.boot_ns - track.read_boot_ns[i]) + 1);
  }
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    const Table& t = layout.tables[i];
    // Live flags are coded against "all live": on a usual machine one token for the table.
    for (std::uint32_t s = t.slot0; s < t.slot0 + track.rows[i] * t.columns(); ++s)
      live.cell(track.live[s] ^ 1U);
  }
  live.flush();
  CellWriter cells(out);
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    const Table& t = layout.tables[i];
    for (std::uint32_t s = t.slot0; s < t.slot0 + track.rows[i] * t.columns(); ++s)
      cells.cell(track.values[s]);
  }
  cells.flush();
}

void write_frame(ByteWriter& out, const Layout& layout, const State& now, Track& track) {
  const std::int64_t boot_step = now.head.boot_ns - track.head.boot_ns;
  const std::int64_t dt_error = now.head.dt_ns - boot_step;
  const std::int64_t wall_drift = now.head.wall_ns - track.head.wall_ns - boot_step;
  const bool live_changed =
      for_each_toggle(layout, track.rows, now.tables, track.live, now.present, [](auto, auto) {}) != 0;
  out.byte(static_cast<std::uint8_t>((now.tables != track.tables ? kTablesChanged : 0) |
                                     (live_changed ? kLiveChanged : 0) | (dt_error != 0 ? kDtDiffers : 0) |
                                     (wall_drift != 0 ? kWallDrifts : 0)));
  out.varint(now.head.seq - track.head.seq - 1);
  out.signed_varint(boot_step - track.head.dt_ns);
  if (dt_error != 0) out.signed_varint(dt_error);
  if (wall_drift != 0) out.signed_varint(wall_drift);
  if (now.tables != track.tables) out.varint(now.tables ^ track.tables);
  if (live_changed) {
    out.varint(for_each_toggle(layout, track.rows, now.tables, track.live, now.present, [](auto, auto) {}));
    for_each_toggle(layout, track.rows, now.tables, track.live, now.present,
                    [&](std::uint32_t since, std::uint32_t length) {
                      out.varint(since);
                      out.varint(length);
                    });
  }
  CellWriter cells(out);
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    if (!now.has_table(i)) continue;
    const Table& t = layout.tables[i];
    const std::uint32_t used = track.rows[i] * t.columns();
    std::uint64_t* const a = track.values + t.slot0;
    const std::uint64_t* const b = now.values + t.slot0;
    if (same_values(a, b, used)) {
      cells.same(used);
    } else {
      bool predicted_from_above = false;
      for (const Column& column : t.schema->columns) predicted_from_above |= column.predict == Predict::above;
      if (predicted_from_above) {
        write_cells_above(cells, t, track.rows[i], a, b);
        std::memcpy(a, b, used * sizeof *a);
      } else {
        for (std::uint32_t s = 0; s < used; ++s) {
          cells.cell(b[s] - a[s]);
          a[s] = b[s];
        }
      }
    }
    if (live_changed) std::memcpy(track.live + t.slot0, now.present + t.slot0, used);
    track.read_boot_ns[i] = now.head.boot_ns;
  }
  cells.flush();
  track.head = now.head;
  track.tables = now.tables;
}

FrameView view(const Layout& layout, const State& now, const Track& track) {
  FrameView v;
  v.layout = &layout;
  v.head = now.head;
  v.tables = now.tables;
  v.rows = track.rows;
  v.now = now.values;
  v.before = track.values;
  v.live = now.present;
  v.live_before = track.live;
  v.read_before = track.read_boot_ns;
  return v;
}

FrameDecoder::FrameDecoder(base::Arena& arena, const Layout& layout)
    : layout_(&layout),
      track_(make_track(arena, layout)),
      before_(arena.make<std::uint64_t>(layout.slots)),
      live_before_(arena.make<std::uint8_t>(layout.slots)) {}

bool FrameDecoder::base(std::string_view payload) {
  started_ = false;
  ByteReader in(payload);
  track_.head.seq = in.varint();
  track_.head.boot_ns = in.signed_varint();
  track_.head.wall_ns = in.signed_varint();
  track_.head.dt_ns = in.signed_varint();
  track_.tables = in.varint();
  if (in.varint() != layout_->table_count || !in.ok()) return false;
  for (std::uint32_t i = 0; i < layout_->table_count; ++i) {
    track_.rows[i] = static_cast<std::uint32_t>(in.bounded(layout_->tables[i].rows));
    const std::uint64_t age = in.varint();
    track_.read_boot_ns[i] =
        age == 0 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(track_.head.boot_ns) - (age - 1));
  }
  if (!in.ok()) return false;
  CellReader live(in);
  for (std::uint32_t i = 0; i < layout_->table_count; ++i) {
    const Table& t = layout_->tables[i];
    const std::uint32_t used = track_.rows[i] * t.columns();
    for (std::uint32_t s = t.slot0; s < t.slot0 + used; ++s) {
      track_.live[s] = static_cast<std::uint8_t>((live.cell() ^ 1U) & 1U);
    }
    // What a later base no longer names must not look alive.
    std::memset(track_.live + t.slot0 + used, 0, t.used_slots() - used);
  }
  if (!in.ok() || !live.finished()) return false;
  CellReader cells(in);
  for (std::uint32_t i = 0; i < layout_->table_count; ++i) {
    const Table& t = layout_->tables[i];
    for (std::uint32_t s = t.slot0; s < t.slot0 + track_.rows[i] * t.columns(); ++s) {
      track_.values[s] = cells.cell();
    }
  }
  started_ = in.ok() && cells.finished() && in.left() == 0;
  return started_;
}

bool FrameDecoder::toggles(ByteReader& in, std::uint64_t tables) {
  const std::uint64_t runs = in.varint();
  std::uint32_t table = 0;
  std::uint32_t offset = 0;  // within the used slots of `table`
  const auto used = [&] { return track_.rows[table] * layout_->tables[table].columns(); };
  const auto advance = [&](std::uint64_t slots, bool flip) {
    while (slots != 0) {
      while (table < layout_->table_count && ((tables >> table & 1) == 0 || offset == used())) {
        ++table;
        offset = 0;
      }
      if (table == layout_->table_count) return false;
      const std::uint32_t room = used() - offset;
      const std::uint32_t n = slots < room ? static_cast<std::uint32_t>(slots) : room;
      if (flip) {
        std::uint8_t* const live = track_.live + layout_->tables[table].slot0 + offset;
        for (std::uint32_t i = 0; i < n; ++i) live[i] ^= 1U;
      }
      offset += n;
      slots -= n;
    }
    return true;
  };
  for (std::uint64_t i = 0; i < runs && in.ok(); ++i) {
    const std::uint64_t since = in.varint();
    const std::uint64_t length = in.varint();
    if (!in.ok() || !advance(since, false) || !advance(length, true)) return false;
  }
  return in.ok();
}

bool FrameDecoder::frame(std::string_view payload) {
  if (!started_) return false;
  started_ = false;
  for (std::uint32_t i = 0; i < layout_->table_count; ++i) {
    const Table& t = layout_->tables[i];
    const std::uint32_t used = track_.rows[i] * t.columns();
    std::memcpy(before_ + t.slot0, track_.values + t.slot0, used * sizeof(std::uint64_t));
    std::memcpy(live_before_ + t.slot0, track_.live + t.slot0, used);
    read_before_[i] = track_.read_boot_ns[i];
  }
  ByteReader in(payload);
  const std::uint8_t flags = in.byte();
  const std::uint64_t skipped = in.varint();
  TickHeader head;
  head.seq = track_.head.seq + 1 + skipped;
  const std::int64_t step_error = in.signed_varint();
  const std::int64_t dt_error = (flags & kDtDiffers) != 0 ? in.signed_varint() : 0;
  const std::int64_t wall_drift = (flags & kWallDrifts) != 0 ? in.signed_varint() : 0;
  // Unsigned arithmetic: hostile bytes may overflow, which must be harmless.
  const auto add = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  };
  const std::int64_t boot_step = add(track_.head.dt_ns, step_error);
  head.boot_ns = add(track_.head.boot_ns, boot_step);
  head.dt_ns = add(boot_step, dt_error);
  head.wall_ns = add(add(track_.head.wall_ns, boot_step), wall_drift);
  std::uint64_t tables = track_.tables;
  if ((flags & kTablesChanged) != 0) tables ^= in.varint();
  if (!in.ok() || (layout_->table_count < 64 && tables >> layout_->table_count != 0)) return false;
  if ((flags & kLiveChanged) != 0 && !toggles(in, tables)) return false;
  CellReader cells(in);
  for (std::uint32_t i = 0; i < layout_->table_count; ++i) {
    if ((tables >> i & 1) == 0) continue;
    const Table& t = layout_->tables[i];
    const std::uint32_t columns = t.columns();
    const std::uint32_t used = track_.rows[i] * columns;
    std::uint64_t* const values = track_.values + t.slot0;
    const std::uint64_t* const before = before_ + t.slot0;
    std::uint32_t column = 0;
    for (std::uint32_t s = 0; s < used; ++s) {
      std::uint64_t step = cells.cell();
      if (t.schema->columns[column].predict == Predict::above && s >= columns) {
        step += values[s - columns] - before[s - columns];
      }
      values[s] = before[s] + step;
      if (++column == columns) column = 0;
    }
    track_.read_boot_ns[i] = head.boot_ns;
  }
  if (!in.ok() || !cells.finished() || in.left() != 0) return false;
  track_.head = head;
  track_.tables = tables;
  started_ = true;
  return true;
}

FrameView FrameDecoder::view() const {
  FrameView v;
  v.layout = layout_;
  v.head = track_.head;
  v.tables = track_.tables;
  v.rows = track_.rows;
  v.now = track_.values;
  v.before = before_;
  v.live = track_.live;
  v.live_before = live_before_;
  v.read_before = read_before_;
  return v;
}

}  // namespace mikroscope::proc
