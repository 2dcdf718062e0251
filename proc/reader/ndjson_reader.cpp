// Samples of one recording nearly always have the same text but for the numbers. So the first sample is
// parsed as JSON, table by table, and leaves a shape: the literal text between the numbers and the slot of
// each number. Later samples are compared with the shapes, and only a table that differs is parsed as JSON
// again.

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "base/text.h"
#include "proc/reader/events.h"
#include "proc/reader/host_layout.h"
#include "proc/reader/json_scan.h"
#include "proc/reader/reader.h"
#include "proc/source.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxLine = 64U << 20;
constexpr std::size_t kMaxShapes = 6;  // of one table: rows that are read at a slower cadence come and go

// A decimal integer scaled by `decimals`, exactly as the writer prints it: digits, and with decimals exactly
// so many after the point. Moves `p`; false where anything else stands. The byte at `end`, the line's break,
// is readable and no digit.
inline bool fast_number(const char*& p, const char* end, int decimals, std::int64_t& out) {
  const char* q = p;
  const bool negative = q != end && *q == '-';
  if (negative) ++q;
  const char* const first = q;
  std::uint64_t value = 0;
  for (unsigned digit = 0; (digit = static_cast<unsigned char>(*q) - unsigned{'0'}) < 10; ++q)
    value = value * 10 + digit;
  if (q == first || q - first > 19) return false;
  if (decimals != 0) {
    if (q == end || *q != '.') return false;
    ++q;
    for (int i = 0; i < decimals; ++i, ++q) {
      if (q == end || !base::is_digit(*q)) return false;
      value = value * 10 + static_cast<std::uint64_t>(*q - '0');
    }
  }
  if (q == end || base::is_digit(*q) || *q == '.' || *q == 'e' || *q == 'E') return false;
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return false;
  out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  p = q;
  return true;
}

bool is_key_name(std::string_view name) {
  for (const TableDef& def : all_tables()) {
    for (const KeyColumn& key : def.schema->keys) {
      if (key.name == name) return true;
    }
  }
  return false;
}

// Whether `n` bytes are the same. The literals are short and of changing length: two overlapping words, or
// blocks of sixteen bytes and one overlapping last block, are quicker than a call of memcmp.
inline bool same_bytes(const char* a, const char* b, std::size_t n) {
  using Block = std::uint64_t __attribute__((vector_size(16)));
  const auto word = [](const char* p) {
    std::uint64_t w = 0;
    std::memcpy(&w, p, sizeof w);
    return w;
  };
  const auto block = [](const char* p) {
    Block w;
    std::memcpy(&w, p, sizeof w);
    return w;
  };
  if (n >= 16) {
    Block difference = block(a + n - 16) ^ block(b + n - 16);
    for (std::size_t i = 0; i + 16 < n; i += 16) difference |= block(a + i) ^ block(b + i);
    return (difference[0] | difference[1]) == 0;
  }
  if (n >= 8) return ((word(a) ^ word(b)) | (word(a + n - 8) ^ word(b + n - 8))) == 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

struct Step {
  std::uint32_t length = 0;  // of the literal before the number, in Shape::text
  std::uint32_t slot = 0;
  std::uint8_t decimals = 0;
};
struct Shape {
  std::string text;  // literals one after another; what is left after the last step ends the table
  std::vector<Step> steps;
  std::uint32_t table = 0;
  bool skip = false;  // the value of a table that nobody wants: `text` is what stands before it
};

// Whether `,"name":` stands at `p`.
bool at_member(const char* p, const char* end) {
  if (end - p < 5 || p[0] != ',' || p[1] != '"') return false;
  const char* q = p + 2;
  while (q != end && ((*q >= 'a' && *q <= 'z') || (*q >= '0' && *q <= '9') || *q == '_')) ++q;
  return q != p + 2 && end - q >= 2 && q[0] == '"' && q[1] == ':';
}

// The end of the array or object that begins at `p`, for a table within a sample; nullptr: read it character
// by character. Its closing bracket is the first one that ends the sample or has a further member behind it
// (within a text the quotes of one would be escaped), unless there is nesting.
const char* end_of_table(const char* p, const char* end) {
  const char close = p != end && *p == '[' ? ']' : p != end && *p == '{' ? '}' : '\0';
  if (close == '\0') return nullptr;
  const char* q = p + 1;
  for (;;) {
    q = static_cast<const char*>(std::memchr(q, close, static_cast<std::size_t>(end - q)));
    if (q == nullptr || ++q == end) return nullptr;
    if ((*q == '}' && q + 1 == end) || at_member(q, end)) break;
  }
  return std::memchr(p + 1, *p, static_cast<std::size_t>(q - p - 1)) == nullptr ? q : nullptr;
}

}  // namespace

struct NdjsonReader::Impl {
  std::string buffer;      // what was fed and is not parsed: all of it, or the beginning of a cut line
  std::string_view input;  // what is parsed now: the buffer, or the caller's memory (feed_in_place)
  std::string_view rest;   // of the caller's memory, behind a line that began in the buffer
  std::size_t consumed = 0;
  bool finished = false;
  std::uint64_t line_number = 0;
  std::deque<Item> ready;

  HostLayout local;
  // Rows by their printed keys (labels are printed once, in a names line, and then belong to the row).
  std::vector<std::unordered_map<std::string, std::uint32_t>> rows_by_key;

  std::vector<std::vector<Shape>> shapes;  // by position among the tables of a line
  std::uint64_t shapes_generation = 0;

  std::vector<std::int64_t> values;
  std::vector<std::uint8_t> present;
  std::vector<std::int64_t> intervals;
  std::vector<std::uint32_t> rows;
  std::vector<OddCell> odd;

  std::vector<std::string> wanted;
  bool only_wanted = false;

  void step();
  void keep_rest();
  void line(std::string_view text);
  bool sample(std::string_view text, std::string& why);
  bool member(std::string_view name, JsonScan& in, std::string_view whole, const char* start, Shape& shape,
              std::string& why);
  bool table_value(std::uint32_t table, JsonScan& in, const char* literal_start, Shape& shape,
                   std::string& why);
  bool row_value(std::uint32_t table, JsonScan& in, const char*& literal_start, Shape& shape,
                 std::string& why);
  bool try_shape(const Shape& shape, const char*& p, const char* end);
  bool is_wanted(std::string_view table) const {
    return !only_wanted || std::find(wanted.begin(), wanted.end(), table) != wanted.end();
  }
  void names(std::string_view text);
  // The table of this name, made from the first value seen where this build does not know it.
  std::uint32_t table_for(std::string_view name, std::string_view value, bool all_members_are_keys = false);
  int row_for(std::uint32_t table, const JsonMembers& keys);
  int column_for(std::uint32_t table, std::string_view name, const JsonValue& value);
  void sync();
};

// Slots moved or tables came: what is kept by slot follows.
void NdjsonReader::Impl::sync() {
  const Layout& l = local.layout();
  if (shapes_generation != local.generation()) {
    // Cells already read from this line keep their place by (table, row, column), which only a re-read can
    // restore; the callers therefore ask again for the whole line.
    shapes.clear();
    shapes_generation = local.generation();
  }
  values.resize(l.slots);
  present.resize(l.slots);
  intervals.resize(l.table_count);
  rows_by_key.resize(l.table_count);
}

std::uint32_t NdjsonReader::Impl::table_for(std::string_view name, std::string_view value,
                                            bool all_members_are_keys) {
  if (const int known = local.layout().find(name); known >= 0) return static_cast<std::uint32_t>(known);
  int added = -1;
  if (const Schema* const schema = builtin_schema(name); schema != nullptr) {
    added = local.add_table(*schema);
  } else {
    // An unknown table: the keys head its rows. They are texts, or integers under a name that is a key
    // elsewhere (cpu, node); a row without either is known by its first member.
    auto schema_of_file = std::make_unique<OwnedSchema>(name, "");
    JsonScan in(value);
    if (in.consume('[') && in.consume('{')) {
      std::string key;
      JsonValue v;
      do {
        if (!in.string(key) || !in.consume(':') || !in.scalar(v)) break;
        const bool is_key = v.is_text || all_members_are_keys || is_key_name(key);
        if (!is_key && !schema_of_file->schema().keys.empty()) break;
        if (schema_of_file->schema().keys.size() < kMaxKeys) {
          schema_of_file->add_key(key, v.is_text, all_members_are_keys && v.is_text);
        }
        if (!is_key) break;
      } while (in.consume(','));
    }
    added = local.add_table(std::move(schema_of_file));
  }
  if (added < 0) return kMaxTables;
  sync();
  return static_cast<std::uint32_t>(added);
}

int NdjsonReader::Impl::column_for(std::uint32_t table, std::string_view name, const JsonValue& value) {
  const Schema& s = *local.layout().tables[table].schema;
  if (const int known = s.column(name); known >= 0) return known;
  if (s.columns.size() == kMaxColumns) return -1;
  auto wider = std::make_unique<OwnedSchema>(s.table, s.help);
  for (const KeyColumn& k : s.keys) wider->add_key(k.name, k.text, k.label);
  for (const Column& c : s.columns) wider->add_column(c.name, c, c.help);
  Column column;
  column.decimals = static_cast<std::uint8_t>(value.decimals);
  wider->add_column(name, column, "");
  local.replace_schema(table, std::move(wider));
  sync();
  return static_cast<int>(s.columns.size());
}

int NdjsonReader::Impl::row_for(std::uint32_t table, const JsonMembers& keys) {
  const Schema& s = *local.layout().tables[table].schema;
  std::string printed;
  RowKey key;
  for (std::size_t k = 0; k < s.keys.size(); ++k) {
    const auto it =
        std::find_if(keys.begin(), keys.end(), [&](const auto& m) { return m.first == s.keys[k].name; });
    if (it == keys.end()) {
      if (!s.keys[k].label) return -1;
      key.part[k] = local.intern("");
      continue;
    }
    key.part[k] = s.keys[k].text ? local.intern(it->second.text) : static_cast<KeyPart>(it->second.number);
    if (s.keys[k].label) continue;
    printed += s.keys[k].text ? it->second.text : std::to_string(it->second.number);
    printed += '\0';
  }
  const bool labelled = std::any_of(keys.begin(), keys.end(), [&](const auto& m) {
    return std::any_of(s.keys.begin(), s.keys.end(),
                       [&](const KeyColumn& k) { return k.label && k.name == m.first; });
  });
  auto& known = rows_by_key[table];
  if (!labelled) {
    if (const auto it = known.find(printed); it != known.end()) return static_cast<int>(it->second);
  }
  int row = local.layout().find_row(table, key);
  if (row < 0) row = local.add_row(table, key, 0);
  if (row < 0) return -1;
  known[printed] = static_cast<std::uint32_t>(row);
  sync();
  return row;
}

bool NdjsonReader::Impl::row_value(std::uint32_t table, JsonScan& in, const char*& literal_start,
                                   Shape& shape, std::string& why) {
  if (!in.consume('{')) {
    why = "a row is no object";
    return false;
  }
  struct Cell {
    std::string name;
    JsonValue value;
    const char* begin;
    const char* end;
  };
  JsonMembers keys;
  std::vector<Cell> cells;
  if (!in.consume('}')) {
    do {
      std::string name;
      JsonValue value;
      if (!in.string(name) || !in.consume(':')) {
        why = "a row is damaged";
        return false;
      }
      const char* const begin = in.position();
      if (!in.scalar(value)) {
        why = "the value of \"" + name + "\" is no number or text";
        return false;
      }
      const Schema& s = *local.layout().tables[table].schema;
      const bool is_key =
          std::any_of(s.keys.begin(), s.keys.end(), [&](const KeyColumn& k) { return k.name == name; });
      if (is_key) {
        keys.emplace_back(std::move(name), std::move(value));
      } else if (!value.is_text && !value.is_null) {
        cells.push_back({std::move(name), std::move(value), begin, in.position()});
      }
    } while (in.consume(','));
    if (!in.consume('}')) {
      why = "a row is cut";
      return false;
    }
  }
  const bool keyed = !local.layout().tables[table].schema->keys.empty();
  const int row = keyed ? row_for(table, keys) : 0;
  if (row < 0) {
    why = "a row without its keys, or too many rows";
    return false;
  }
  for (const Cell& cell : cells) {
    const int column = column_for(table, cell.name, cell.value);
    if (column < 0) continue;
    const Table& t = local.layout().tables[table];
    const Column& c = t.schema->columns[static_cast<std::size_t>(column)];
    const std::uint32_t slot = t.slot(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column));
    if (slot >= values.size()) continue;
    values[slot] = cell.value.scaled(c.decimals);
    present[slot] = 1;
    shape.text.append(literal_start, cell.begin);
    shape.steps.push_back({static_cast<std::uint32_t>(cell.begin - literal_start), slot, c.decimals});
    literal_start = cell.end;
  }
  return true;
}

bool NdjsonReader::Impl::table_value(std::uint32_t table, JsonScan& in, const char* literal_start,
                                     Shape& shape, std::string& why) {
  if (local.layout().tables[table].schema->keys.empty()) {
    if (!row_value(table, in, literal_start, shape, why)) return false;
  } else {
    if (!in.consume('[')) {
      why = "a keyed table is no array";
      return false;
    }
    if (!in.consume(']')) {
      do {
        if (!row_value(table, in, literal_start, shape, why)) return false;
      } while (in.consume(','));
      if (!in.consume(']')) {
        why = "a table is cut";
        return false;
      }
    }
  }
  shape.text.append(literal_start, in.position());
  return true;
}

bool NdjsonReader::Impl::try_shape(const Shape& shape, const char*& p, const char* end) {
  const char* q = p;
  if (shape.skip) {
    const std::size_t length = shape.text.size();
    if (static_cast<std::size_t>(end - q) <= length || !same_bytes(q, shape.text.data(), length))
      return false;
    q += length;
    if (const char* const behind = end_of_table(q, end); behind != nullptr) {
      p = behind;
      return true;
    }
    JsonScan in(std::string_view(q, static_cast<std::size_t>(end - q)));
    if (in.skip_value().empty()) return false;
    p = in.position();
    return true;
  }
  const char* literal = shape.text.data();
  std::int64_t* const out = values.data();
  for (const Step& step : shape.steps) {
    const std::size_t length = step.length;
    if (static_cast<std::size_t>(end - q) < length + 2 || !same_bytes(q, literal, length)) return false;
    q += length;
    literal += length;
    // Most differences are one digit.
    const auto digit = static_cast<unsigned char>(q[0] - '0');
    if (digit < 10 && (q[1] == ',' || q[1] == '}') && step.decimals == 0) {
      out[step.slot] = digit;
      ++q;
    } else if (!fast_number(q, end, step.decimals, out[step.slot])) {
      return false;
    }
  }
  const auto left = static_cast<std::size_t>(shape.text.data() + shape.text.size() - literal);
  if (static_cast<std::size_t>(end - q) < left || std::memcmp(q, literal, left) != 0) return false;
  // Presence is set only now: a shape that fails half way must leave none behind.
  std::uint8_t* const marks = present.data();
  for (const Step& step : shape.steps) marks[step.slot] = 1;
  p = q + left;
  return true;
}

bool NdjsonReader::Impl::sample(std::string_view text, std::string& why) {
  Frame f;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto literal = [&](std::string_view l) {
    if (static_cast<std::size_t>(end - p) < l.size() || std::memcmp(p, l.data(), l.size()) != 0) return false;
    p += l.size();
    return true;
  };
  std::int64_t seq = 0;
  if (!literal("{\"seq\":") || !fast_number(p, end, 0, seq) || seq <= 0) {
    why = "a sample without a sequence number";
    return false;
  }
  f.head.seq = static_cast<std::uint64_t>(seq);
  if (!literal(",\"boot_ns\":") || !fast_number(p, end, 0, f.head.boot_ns) || !literal(",\"wall_ns\":") ||
      !fast_number(p, end, 0, f.head.wall_ns) || !literal(",\"dt_ns\":") ||
      !fast_number(p, end, 0, f.head.dt_ns)) {
    why = "a sample without boot_ns, wall_ns and dt_ns";
    return false;
  }
  sync();
  std::fill(present.begin(), present.end(), std::uint8_t{0});
  std::fill(intervals.begin(), intervals.end(), f.head.dt_ns);
  odd.clear();
  std::size_t position = 0;
  while (p != end && *p == ',') {
    bool matched = false;
    // Tables that this line lacks (a slower cadence) are passed over.
    for (std::size_t at = position; at < shapes.size() && !matched; ++at) {
      for (std::size_t i = 0; i < shapes[at].size() && !matched; ++i) {
        if (!try_shape(shapes[at][i], p, end)) continue;
        matched = true;
        position = at + 1;
        if (i != 0) std::swap(shapes[at][i], shapes[at][i - 1]);
      }
    }
    if (matched) continue;
    const char* const start = p;
    JsonScan in(std::string_view(p + 1, static_cast<std::size_t>(end - p - 1)));
    std::string name;
    if (!in.string(name) || !in.consume(':')) {
      why = "a sample is damaged";
      return false;
    }
    Shape shape;
    if (!member(name, in, text, start, shape, why)) return false;
    p = in.position();
    if (shape.table == kMaxTables && !shape.skip) continue;  // intervals, odd: no table
    // Shapes stay in the order of the line, one place per table.
    auto place = std::find_if(shapes.begin(), shapes.end(), [&](const auto& s) {
      return !s.empty() && s.front().skip == shape.skip &&
             (shape.skip ? s.front().text == shape.text : s.front().table == shape.table);
    });
    if (place == shapes.end()) {
      place = shapes.emplace(shapes.begin() + static_cast<std::ptrdiff_t>(std::min(position, shapes.size())));
    }
    position = static_cast<std::size_t>(place - shapes.begin()) + 1;
    if (shape.skip && !place->empty()) continue;  // out of its usual order
    if (place->size() == kMaxShapes) place->pop_back();
    place->insert(place->begin(), std::move(shape));
  }
  if (p == end || *p != '}' || p + 1 != end) {
    why = "a sample is cut or followed by something else";
    return false;
  }
  const Layout& l = local.layout();
  rows.resize(l.table_count);
  for (std::uint32_t i = 0; i < l.table_count; ++i) rows[i] = l.tables[i].rows;
  f.layout = &l;
  f.values = values.data();
  f.present = present.data();
  f.intervals_ns = intervals.data();
  f.odd = odd;
  f.rows = rows;
  ready.emplace_back(f);
  return true;
}

bool NdjsonReader::Impl::member(std::string_view name, JsonScan& in, std::string_view, const char* start,
                                Shape& shape, std::string& why) {
  shape.table = kMaxTables;
  if (name == "intervals" || name == "odd") {
    const std::string_view value = in.skip_value();
    if (value.empty()) {
      why = "a sample is cut";
      return false;
    }
    if (name == "intervals") {
      read_intervals(value, [&](std::string_view table, std::int64_t ns) {
        if (const int i = local.layout().find(table); i >= 0) intervals[static_cast<std::size_t>(i)] = ns;
      });
    } else {
      read_odd(value, local.layout(), odd);
    }
    return true;
  }
  if (!is_wanted(name)) {
    shape.skip = true;
    shape.text.assign(start, in.position());
    if (in.skip_value().empty()) {
      why = "a sample is cut";
      return false;
    }
    return true;
  }
  JsonScan look = in;
  const std::uint32_t table = table_for(name, look.skip_value());
  if (table == kMaxTables) {
    in.skip_value();
    return true;
  }
  // Learning rows or columns may move slots; the table is then read once more into the places that it has
  // now, and so is the rest of the line by its caller.
  shape.table = table;
  return table_value(table, in, start, shape, why);
}

void NdjsonReader::Impl::names(std::string_view text) {
  read_names(text, [&](std::string_view table_name, std::string_view rows_text, const JsonMembers& keys) {
    if (!is_wanted(table_name)) return;
    const std::uint32_t table = table_for(table_name, rows_text, true);
    if (table != kMaxTables) row_for(table, keys);
  });
  shapes.clear();  // the same printed keys may now mean other rows
}

void NdjsonReader::Impl::line(std::string_view text) {
  if (text.empty() || text.front() == '#') return;
  if (text.starts_with("{\"seq\":")) {
    std::string why;
    const std::uint64_t before = local.generation();
    bool good = sample(text, why);
    if (good && local.generation() != before) {
      // The line taught new rows or columns and slots moved under it: read it again with the layout complete.
      ready.pop_back();
      good = sample(text, why);
    }
    if (!good) ready.emplace_back(Malformed{std::move(why), line_number});
    return;
  }
  if (text.starts_with("{\"names\":")) return names(text);
  ready.push_back(parse_event(text, line_number));
}

void NdjsonReader::Impl::step() {
  while (ready.empty()) {
    if (consumed == input.size()) {
      if (rest.empty()) return;
      buffer.clear();
      input = rest;
      rest = {};
      consumed = 0;
    }
    const char* const start = input.data() + consumed;
    const auto left = input.size() - consumed;
    const void* const newline = std::memchr(start, '\n', left);
    std::size_t length = left;
    if (newline != nullptr) {
      length = static_cast<std::size_t>(static_cast<const char*>(newline) - start);
      consumed += length + 1;
    } else if (finished) {
      consumed += length;
      ++line_number;
      ready.emplace_back(Malformed{"the last line is cut (no line end)", line_number});
      return;
    } else if (left > kMaxLine) {
      consumed += left;
      ready.emplace_back(Malformed{"a line longer than 64 MiB", line_number + 1});
      return;
    } else {
      keep_rest();
      return;
    }
    ++line_number;
    std::string_view text(start, length);
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    line(text);
  }
}

// The unparsed input moves into the buffer, since the caller's memory may go.
void NdjsonReader::Impl::keep_rest() {
  if (input.data() != buffer.data())
    buffer.assign(input.substr(consumed));
  else
    buffer.erase(0, consumed);
  buffer.append(rest);
  rest = {};
  consumed = 0;
  input = buffer;
}

NdjsonReader::NdjsonReader() : impl_(std::make_unique<Impl>()) {}
NdjsonReader::~NdjsonReader() = default;

void NdjsonReader::feed(std::string_view bytes) {
  Impl& i = *impl_;
  i.finished = false;
  i.keep_rest();
  i.buffer.append(bytes);
  i.input = i.buffer;
}

void NdjsonReader::feed_in_place(std::string_view bytes) {
  Impl& i = *impl_;
  i.finished = false;
  i.keep_rest();
  if (i.buffer.empty()) {
    i.input = bytes;
    return;
  }
  // A line that the previous bytes began is completed in the buffer; the others are read where they are.
  const std::size_t newline = bytes.find('\n');
  const std::size_t head = newline == std::string_view::npos ? bytes.size() : newline + 1;
  i.buffer.append(bytes.substr(0, head));
  i.input = i.buffer;
  i.rest = bytes.substr(head);
}

void NdjsonReader::only(std::span<const std::string_view> tables) {
  impl_->wanted.assign(tables.begin(), tables.end());
  impl_->only_wanted = true;
}

void NdjsonReader::finish() {
  impl_->finished = true;
}

std::optional<Item> NdjsonReader::next() {
  Impl& i = *impl_;
  if (i.ready.empty()) i.step();
  if (i.ready.empty()) return std::nullopt;
  Item item = std::move(i.ready.front());
  i.ready.pop_front();
  return item;
}

const Layout& NdjsonReader::layout() const {
  return impl_->local.layout();
}

}  // namespace mikroscope::proc
