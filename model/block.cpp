#include "model/block.h"

#include <zstd.h>

#include <algorithm>
#include <map>

#include "model/bytes.h"

namespace mikroscope::model {
namespace {

// Layout of a block: format byte, then the shape ids (so that they can be had without decompressing), the
// size of the body and the compressed body: the origin, then the events. Cells are told against the event
// before that has the same shape.
constexpr std::uint8_t kFormat = 1;
constexpr int kLevel = 1;
constexpr std::size_t kMaxBody = 256U << 20;

enum Flags : std::uint8_t {
  kRepeat = 1,
  kTotals = 2,
  kIntervals = 4,
  kOdd = 8,
  kTexts = 16,
  kSamePresence = 32
};

base::Error damaged() {
  return {"damaged block of events", "", base::Exit::failed};
}

bool is_delta(const Field& field) {
  return field.kind == Kind::delta && field.type != Type::real && field.type != Type::text;
}

// One mark per slot: what its prediction is.
std::vector<std::uint8_t> delta_slots(const Shape& shape) {
  std::vector<std::uint8_t> marks;
  marks.reserve(shape.slots());
  for (const ShapeTable& table : shape.tables()) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      for (const Field& field : table.measurement->fields) marks.push_back(is_delta(field) ? 1 : 0);
    }
  }
  return marks;
}

struct Known {  // what the events before said of one shape
  ShapePtr shape;
  std::vector<std::uint8_t> delta;
  std::vector<std::uint8_t> present;
  std::vector<std::int64_t> values;
  std::vector<std::uint64_t> totals;

  explicit Known(ShapePtr s)
      : shape(std::move(s)),
        delta(delta_slots(*shape)),
        present(shape->slots()),
        values(shape->slots()),
        totals(shape->slots()) {}
};

struct Heads {  // of the event before
  std::int64_t wall_ns = 0;
  std::int64_t boot_ns = 0;
  std::int64_t dt_ns = 0;
  std::uint64_t seq = 0;
};

void write_event(const Event& event, std::size_t shape_index, Known& known, Heads& heads, ByteWriter& out) {
  const bool same_presence = event.present == known.present;
  out.byte(static_cast<std::uint8_t>(event.kind));
  out.byte(static_cast<std::uint8_t>((event.repeat ? kRepeat : 0) | (event.totals.empty() ? 0 : kTotals) |
                                     (event.intervals_ns.empty() ? 0 : kIntervals) |
                                     (event.odd.empty() ? 0 : kOdd) | (event.texts.empty() ? 0 : kTexts) |
                                     (same_presence ? kSamePresence : 0)));
  out.number(shape_index);
  out.integer(event.wall_ns - heads.wall_ns);
  out.integer(event.boot_ns - heads.boot_ns);
  out.integer(event.dt_ns - heads.dt_ns);
  out.integer(static_cast<std::int64_t>(event.seq - heads.seq));
  heads = {event.wall_ns, event.boot_ns, event.dt_ns, event.seq};

  const std::size_t slots = event.present.size();
  if (!same_presence) {
    for (std::size_t i = 0; i < slots; i += 8) {
      std::uint8_t bits = 0;
      for (std::size_t b = 0; b < 8 && i + b < slots; ++b)
        bits = static_cast<std::uint8_t>(bits | event.present[i + b] << b);
      out.byte(bits);
    }
    known.present = event.present;
  }
  for (std::size_t i = 0; i < slots; ++i) {
    if (event.present[i] == 0) continue;
    const std::int64_t base = known.delta[i] != 0 ? 0 : known.values[i];
    out.number(zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(event.values[i]) -
                                                static_cast<std::uint64_t>(base))));
    known.values[i] = event.values[i];
  }
  if (!event.totals.empty()) {
    for (std::size_t i = 0; i < slots; ++i) {
      if (event.present[i] == 0 || known.delta[i] == 0) continue;
      const std::uint64_t expected = known.totals[i] + static_cast<std::uint64_t>(event.values[i]);
      out.number(zigzag(static_cast<std::int64_t>(event.totals[i] - expected)));
      known.totals[i] = event.totals[i];
    }
  }
  if (!event.intervals_ns.empty()) {
    out.number(event.intervals_ns.size());
    for (const std::int64_t ns : event.intervals_ns) out.integer(ns - event.dt_ns);
  }
  if (!event.odd.empty()) {
    out.number(event.odd.size());
    for (const OddCell& odd : event.odd) {
      out.number(odd.slot);
      out.byte(static_cast<std::uint8_t>(odd.kind));
    }
  }
  if (!event.texts.empty()) {
    out.number(event.texts.size());
    for (const std::string& text : event.texts) out.text(text);
  }
}

bool texts_fit(const Event& event) {
  for (const ShapeTable& table : event.shape->tables()) {
    for (std::size_t c = 0; c < table.columns(); ++c) {
      if (table.measurement->fields[c].type != Type::text) continue;
      for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const std::uint32_t slot = table.slot(r, c);
        if (event.has(slot) && static_cast<std::uint64_t>(event.values[slot]) >= event.texts.size())
          return false;
      }
    }
  }
  return true;
}

bool read_event(ByteReader& in, std::vector<Known>& known_shapes, Heads& heads, Event& event) {
  const std::uint8_t kind = in.byte();
  const std::uint8_t flags = in.byte();
  const std::uint64_t shape_index = in.number();
  if (in.failed() || kind >= kEventKinds || shape_index >= known_shapes.size()) return false;
  Known& known = known_shapes[shape_index];
  event.kind = static_cast<EventKind>(kind);
  event.repeat = (flags & kRepeat) != 0;
  event.shape = known.shape;
  const auto moved = [&](std::int64_t from) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) +
                                     static_cast<std::uint64_t>(in.integer()));
  };
  event.wall_ns = moved(heads.wall_ns);
  event.boot_ns = moved(heads.boot_ns);
  event.dt_ns = moved(heads.dt_ns);
  event.seq = heads.seq + static_cast<std::uint64_t>(in.integer());
  heads = {event.wall_ns, event.boot_ns, event.dt_ns, event.seq};

  const std::size_t slots = known.present.size();
  if ((flags & kSamePresence) == 0) {
    for (std::size_t i = 0; i < slots; i += 8) {
      const std::uint8_t bits = in.byte();
      for (std::size_t b = 0; b < 8 && i + b < slots; ++b) known.present[i + b] = bits >> b & 1;
    }
  }
  if (in.failed()) return false;
  event.present = known.present;
  event.values.assign(slots, 0);
  for (std::size_t i = 0; i < slots; ++i) {
    if (known.present[i] == 0) continue;
    const std::int64_t base = known.delta[i] != 0 ? 0 : known.values[i];
    event.values[i] = known.values[i] = moved(base);
  }
  if ((flags & kTotals) != 0) {
    event.totals.assign(slots, 0);
    for (std::size_t i = 0; i < slots; ++i) {
      if (known.present[i] == 0 || known.delta[i] == 0) continue;
      event.totals[i] = known.totals[i] = known.totals[i] + static_cast<std::uint64_t>(event.values[i]) +
                                          static_cast<std::uint64_t>(in.integer());
    }
  }
  if ((flags & kIntervals) != 0) {
    event.intervals_ns.resize(in.count());
    for (std::int64_t& ns : event.intervals_ns) ns = moved(event.dt_ns);
  }
  if ((flags & kOdd) != 0) {
    event.odd.resize(in.count(2));
    for (OddCell& odd : event.odd) {
      const std::uint64_t slot = in.number();
      const std::uint8_t odd_kind = in.byte();
      if (slot >= slots || odd_kind > static_cast<std::uint8_t>(proc::DeltaKind::reset)) return false;
      odd = {static_cast<std::uint32_t>(slot), static_cast<proc::DeltaKind>(odd_kind)};
    }
  }
  if ((flags & kTexts) != 0) {
    event.texts.resize(in.count());
    for (std::string& text : event.texts) text = in.text();
  }
  return !in.failed() && texts_fit(event);
}

std::string compress(std::string_view body) {
  std::string out(ZSTD_compressBound(body.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), body.data(), body.size(), kLevel);
  out.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return out;
}

base::Result<std::string> decompress(std::string_view packed, std::uint64_t size) {
  if (size > kMaxBody) return damaged();
  std::string out(static_cast<std::size_t>(size), '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != out.size()) return damaged();
  return out;
}

}  // namespace

std::string encode_block(std::span<const Event> events) {
  std::vector<std::uint64_t> ids;
  std::vector<Known> known;
  std::map<std::uint64_t, std::size_t> index;
  std::string body;
  ByteWriter out(body);
  const Origin none;
  const Origin& origin = events.empty() || !events.front().origin ? none : *events.front().origin;
  out.text(origin.host);
  out.text(origin.instance);
  out.text(origin.boot_id);
  out.number(events.size());
  Heads heads;
  for (const Event& event : events) {
    const auto [at, added] = index.try_emplace(event.shape->id(), known.size());
    if (added) {
      ids.push_back(event.shape->id());
      known.emplace_back(event.shape);
    }
    write_event(event, at->second, known[at->second], heads, out);
  }

  std::string block;
  ByteWriter head(block);
  head.byte(kFormat);
  head.number(ids.size());
  for (const std::uint64_t id : ids) head.number(id);
  head.number(body.size());
  block += compress(body);
  return block;
}

base::Result<BlockShapes> block_shapes(std::string_view block) {
  ByteReader in(block);
  if (in.byte() != kFormat) return damaged();
  BlockShapes shapes;
  shapes.ids.resize(in.count());
  for (std::uint64_t& id : shapes.ids) id = in.number();
  if (in.failed()) return damaged();
  return shapes;
}

base::Result<std::vector<Event>> decode_block(std::string_view block, const FindShape& find_shape) {
  auto shapes = block_shapes(block);
  if (!shapes) return shapes.error();
  ByteReader head(block);
  head.byte();
  for (std::size_t n = head.count(); n > 0; --n) head.number();
  const std::uint64_t size = head.number();
  if (head.failed()) return damaged();

  std::vector<Known> known;
  for (const std::uint64_t id : shapes->ids) {
    ShapePtr shape = find_shape(id);
    if (!shape) return damaged();
    known.emplace_back(std::move(shape));
  }
  auto body = decompress(block.substr(block.size() - head.left()), size);
  if (!body) return body.error();

  ByteReader in(*body);
  auto origin = std::make_shared<Origin>();
  origin->host = in.text();
  origin->instance = in.text();
  origin->boot_id = in.text();
  std::vector<Event> events(in.count(7));
  Heads heads;
  for (Event& event : events) {
    event.origin = origin;
    if (!read_event(in, known, heads, event)) return damaged();
  }
  if (in.failed() || !in.at_end()) return damaged();
  return events;
}

std::string encode_message(std::span<const Event> events) {
  std::map<std::uint64_t, ShapePtr> shapes;
  for (const Event& event : events) shapes.try_emplace(event.shape->id(), event.shape);
  std::string all;
  ByteWriter texts(all);
  texts.number(shapes.size());
  for (const auto& [id, shape] : shapes) texts.text(shape->bytes());

  std::string message;
  ByteWriter out(message);
  out.byte(kFormat);
  out.number(all.size());
  out.text(compress(all));
  message += encode_block(events);
  return message;
}

base::Result<std::vector<Event>> decode_message(std::string_view message) {
  ByteReader in(message);
  if (in.byte() != kFormat) return damaged();
  const std::uint64_t size = in.number();
  auto all = decompress(in.text(), size);
  if (in.failed() || !all) return damaged();
  std::map<std::uint64_t, ShapePtr> shapes;
  ByteReader texts(*all);
  for (std::size_t n = texts.count(); n > 0; --n) {
    auto shape = Shape::parse(texts.text());
    if (!shape) return shape.error();
    shapes.try_emplace((*shape)->id(), *shape);
  }
  return decode_block(message.substr(message.size() - in.left()), [&](std::uint64_t id) -> ShapePtr {
    const auto found = shapes.find(id);
    return found == shapes.end() ? nullptr : found->second;
  });
}

}  // namespace mikroscope::model
