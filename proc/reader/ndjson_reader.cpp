#include <algorithm>
#include <cstring>

#include "proc/reader/events.h"
#include "proc/reader/json_scan.h"
#include "proc/reader/json_table.h"
#include "proc/reader/learned_tables.h"
#include "proc/reader/line_input.h"
#include "proc/reader/reader.h"
#include "proc/reader/shape.h"

namespace mikroscope::proc {

struct NdjsonReader::Impl final : Core {
  LineInput input;
  LearnedTables learned;
  Shapes shapes;
  std::vector<std::string> wanted;
  bool only_wanted = false;

  std::vector<std::uint32_t> rows;  // of the frame handed out last
  std::vector<OddCell> odd;

  void step() override;
  void line(std::string_view text);
  void sample_line(std::string_view text);
  // A sample line to a frame; false: it is damaged, and `why` says how.
  bool sample(std::string_view text, Frame& frame, std::string& why);
  // One `,"name":value` of a sample that has no known shape.
  bool member(const char*& p, const char* end, std::string& why);
  void names(std::string_view text);
  bool is_wanted(std::string_view table) const {
    return !only_wanted || std::find(wanted.begin(), wanted.end(), table) != wanted.end();
  }
};

namespace {

// Takes {"seq":…,"boot_ns":…,"wall_ns":…,"dt_ns":… from `p`.
bool read_head(const char*& p, const char* end, TickHeader& head, std::string& why) {
  const auto number_after = [&](std::string_view literal, std::int64_t& out) {
    if (static_cast<std::size_t>(end - p) < literal.size() ||
        std::memcmp(p, literal.data(), literal.size()) != 0) {
      return false;
    }
    p += literal.size();
    return fast_number(p, end, 0, out);
  };
  std::int64_t seq = 0;
  if (!number_after("{\"seq\":", seq) || seq <= 0) {
    why = "a sample without a sequence number";
    return false;
  }
  head.seq = static_cast<std::uint64_t>(seq);
  if (!number_after(",\"boot_ns\":", head.boot_ns) || !number_after(",\"wall_ns\":", head.wall_ns) ||
      !number_after(",\"dt_ns\":", head.dt_ns)) {
    why = "a sample without boot_ns, wall_ns and dt_ns";
    return false;
  }
  return true;
}

}  // namespace

bool NdjsonReader::Impl::sample(std::string_view text, Frame& frame, std::string& why) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (!read_head(p, end, frame.head, why)) return false;
  learned.begin_sample(frame.head.dt_ns);
  odd.clear();
  shapes.rewind();
  while (p != end && *p == ',') {
    if (!shapes.match(p, end, learned.cells()) && !member(p, end, why)) return false;
  }
  if (p == end || *p != '}' || p + 1 != end) {
    why = "a sample is cut or followed by something else";
    return false;
  }
  const Layout& l = learned.layout();
  rows.resize(l.table_count);
  for (std::uint32_t i = 0; i < l.table_count; ++i) rows[i] = l.tables[i].rows;
  frame.layout = &l;
  frame.values = learned.cells().values.data();
  frame.present = learned.cells().present.data();
  frame.intervals_ns = learned.cells().intervals.data();
  frame.odd = odd;
  frame.rows = rows;
  return true;
}

bool NdjsonReader::Impl::member(const char*& p, const char* end, std::string& why) {
  const char* const start = p;
  JsonScan in(std::string_view(p + 1, static_cast<std::size_t>(end - p - 1)));
  std::string name;
  if (!in.string(name) || !in.consume(':')) {
    why = "a sample is damaged";
    return false;
  }
  const char* const value_start = in.position();
  JsonScan behind = in;
  const std::string_view value = behind.skip_value();
  const auto pass_over = [&] {
    if (value.empty()) why = "a sample is cut";
    p = behind.position();
    return !value.empty();
  };
  if (name == "intervals") {
    read_intervals(value, [&](std::string_view table, std::int64_t ns) {
      const int i = learned.layout().find(table);
      if (i >= 0) learned.cells().intervals[static_cast<std::size_t>(i)] = ns;
    });
    return pass_over();
  }
  if (name == "odd") {
    read_odd(value, learned.layout(), odd);
    return pass_over();
  }
  Shape shape;
  if (!is_wanted(name)) {
    if (!pass_over()) return false;
    shape.table = kMaxTables;
    shape.skip = true;
    shape.text.assign(start, value_start);
  } else {
    const std::uint32_t table = learned.table_for(name, value);
    if (table == kMaxTables) return pass_over();
    if (!read_table(learned, table, start, in, shape, why)) return false;
    p = in.position();
  }
  shapes.keep(std::move(shape));
  return true;
}

void NdjsonReader::Impl::names(std::string_view text) {
  read_names(text, [&](std::string_view table_name, std::string_view rows_text, const JsonMembers& keys) {
    if (!is_wanted(table_name)) return;
    const std::uint32_t table = learned.table_for(table_name, rows_text, true);
    if (table != kMaxTables) learned.row_for(table, keys);
  });
  shapes.clear();  // the same printed keys may now mean other rows
}

void NdjsonReader::Impl::sample_line(std::string_view text) {
  Frame frame;
  std::string why;
  const std::uint64_t before = learned.generation();
  bool good = sample(text, frame, why);
  if (learned.generation() != before) {
    // The line taught new tables, rows or columns, and slots moved under it and under what was kept of it:
    // it is read again with the layout complete.
    shapes.clear();
    if (good) good = sample(text, frame, why);
  }
  if (good)
    ready.emplace_back(frame);
  else
    ready.emplace_back(Malformed{std::move(why), input.line_number()});
}

void NdjsonReader::Impl::line(std::string_view text) {
  if (text.empty() || text.front() == '#') return;
  if (text.starts_with("{\"seq\":")) return sample_line(text);
  if (text.starts_with("{\"names\":")) return names(text);
  ready.push_back(parse_event(text, input.line_number()));
}

void NdjsonReader::Impl::step() {
  while (ready.empty()) {
    std::string_view text;
    switch (input.next(finished, text)) {
      case LineInput::Got::line:
        line(text);
        break;
      case LineInput::Got::cut:
        ready.emplace_back(Malformed{"the last line is cut (no line end)", input.line_number()});
        break;
      case LineInput::Got::too_long:
        ready.emplace_back(Malformed{"a line longer than 64 MiB", input.line_number()});
        break;
      case LineInput::Got::nothing:
        return;
    }
  }
}

NdjsonReader::NdjsonReader() : ItemReader(std::make_unique<Impl>()) {}
NdjsonReader::~NdjsonReader() = default;

NdjsonReader::Impl& NdjsonReader::impl() const {
  return static_cast<Impl&>(core());
}

void NdjsonReader::feed(std::string_view bytes) {
  core().finished = false;
  impl().input.feed(bytes);
}

void NdjsonReader::feed_in_place(std::string_view bytes) {
  core().finished = false;
  impl().input.feed_in_place(bytes);
}

void NdjsonReader::only(std::span<const std::string_view> tables) {
  impl().wanted.assign(tables.begin(), tables.end());
  impl().only_wanted = true;
}

const Layout& NdjsonReader::layout() const {
  return impl().learned.layout();
}

}  // namespace mikroscope::proc
