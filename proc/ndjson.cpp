#include "proc/ndjson.h"

namespace mikroscope::proc {
namespace {

void write_key(const Layout& layout, const KeyColumn& column, KeyPart part, base::Writer& out) {
  out.put('"');
  out.put(column.name);
  out.put("\":");
  if (column.text) {
    out.json_string((*layout.texts)[part]);
  } else {
    out.i64(part);
  }
}

// The keys of a row as members without braces; labels only where `labels`. True if anything was written.
bool write_keys(const Layout& layout, const Table& table, std::uint32_t row, bool labels, base::Writer& out) {
  bool any = false;
  for (std::size_t k = 0; k < table.schema->keys.size(); ++k) {
    const KeyColumn& column = table.schema->keys[k];
    if (column.label && !labels) continue;
    if (any) out.put(',');
    write_key(layout, column, table.keys[row].part[k], out);
    any = true;
  }
  return any;
}

class SampleWriter {
 public:
  SampleWriter(const FrameView& frame, bool totals, base::Writer& out)
      : frame_(frame), totals_(totals), out_(out) {}

  void write() {
    member("seq");
    out_.u64(frame_.head.seq);
    member("boot_ns");
    out_.i64(frame_.head.boot_ns);
    member("wall_ns");
    out_.i64(frame_.head.wall_ns);
    member("dt_ns");
    out_.i64(frame_.head.dt_ns);
    for (std::uint32_t i = 0; i < frame_.layout->table_count; ++i) {
      if (frame_.has_table(i)) table(i);
    }
    if (late_) intervals();
    if (odd_) odd();
    out_.put("}\n");
  }

 private:
  void member(std::string_view name) {
    out_.put(first_ ? "{\"" : ",\"");
    out_.put(name);
    out_.put("\":");
    first_ = false;
  }

  void table(std::uint32_t index) {
    const Table& t = frame_.layout->tables[index];
    const std::size_t undo = out_.size();
    member(t.schema->table);
    const bool keyed = !t.schema->keys.empty();
    if (keyed) out_.put('[');
    bool any = false;
    for (std::uint32_t row = 0; row < frame_.rows[index]; ++row) any |= this->row(index, t, row, any);
    if (!any) {
      out_.rewind(
          undo);  // nothing readable in it this tick (a counter's first reading): as good as not there
      return;
    }
    if (keyed) out_.put(']');
    late_ |= differs(index);
  }

  bool row(std::uint32_t index, const Table& t, std::uint32_t row, bool comma) {
    const std::size_t undo = out_.size();
    const bool was_overflowing = out_.overflow();
    if (comma) out_.put(',');
    out_.put('{');
    bool members = write_keys(*frame_.layout, t, row, false, out_);
    bool any = false;
    const std::uint32_t columns = t.columns();
    std::uint32_t slot = t.slot(row, 0);
    for (std::uint32_t c = 0; c < columns; ++c, ++slot) {
      if (frame_.live[slot] == 0) continue;
      const Column& column = t.schema->columns[c];
      std::uint64_t value = frame_.now[slot];
      if (column.kind == Kind::counter && !totals_) {
        if (frame_.live_before[slot] == 0) continue;
        const Delta d = difference(frame_.before[slot], value, column.width);
        odd_ |= d.kind != DeltaKind::normal;
        if (!d.has_value()) continue;
        value = d.value;
      }
      out_.put(members ? ",\"" : "\"");
      out_.put(column.name);
      out_.put("\":");
      if (column.decimals != 0 || (column.kind == Kind::gauge && static_cast<std::int64_t>(value) < 0)) {
        out_.fixed(static_cast<std::int64_t>(value), column.decimals);
      } else {
        out_.u64(value);
      }
      members = any = true;
    }
    (void)index;
    if (!any && !was_overflowing) {
      out_.rewind(undo);
      return false;
    }
    out_.put('}');
    return any;
  }

  // Whether the differences of a table cover another span than dt_ns. Levels cover none.
  bool differs(std::uint32_t index) const {
    if (frame_.interval_ns(index) == frame_.head.dt_ns) return false;
    for (const Column& column : frame_.layout->tables[index].schema->columns) {
      if (column.kind == Kind::counter) return true;
    }
    return false;
  }

  void intervals() {
    member("intervals");
    char separator = '{';
    for (std::uint32_t i = 0; i < frame_.layout->table_count; ++i) {
      if (!frame_.has_table(i) || !differs(i)) continue;
      out_.put(separator);
      out_.print("\"%s\":%d", frame_.layout->tables[i].schema->table, frame_.interval_ns(i));
      separator = ',';
    }
    out_.put('}');
  }

  void odd() {
    member("odd");
    char separator = '[';
    for (std::uint32_t i = 0; i < frame_.layout->table_count; ++i) {
      if (!frame_.has_table(i)) continue;
      const Table& t = frame_.layout->tables[i];
      for (std::uint32_t row = 0; row < frame_.rows[i]; ++row) {
        for (std::uint32_t c = 0; c < t.columns(); ++c) {
          if (t.schema->columns[c].kind != Kind::counter) continue;
          const Delta d = frame_.delta(i, row, c);
          if (d.kind == DeltaKind::normal || d.kind == DeltaKind::absent) continue;
          out_.put(separator);
          separator = ',';
          out_.print("{\"table\":\"%s\",", t.schema->table);
          if (write_keys(*frame_.layout, t, row, false, out_)) out_.put(',');
          out_.print("\"column\":\"%s\",\"kind\":\"%s\"}", t.schema->columns[c].name,
                     delta_kind_name(d.kind));
        }
      }
    }
    out_.put(']');
  }

  const FrameView& frame_;
  const bool totals_;
  base::Writer& out_;
  bool first_ = true;
  bool late_ = false;
  bool odd_ = false;
};

}  // namespace

bool write_sample(const FrameView& frame, bool totals, base::Writer& out) {
  const std::size_t undo = out.size();
  SampleWriter(frame, totals, out).write();
  if (!out.overflow()) return true;
  out.rewind(undo);
  return false;
}

bool write_names(const Layout& layout, std::uint64_t since, base::Writer& out) {
  const std::size_t undo = out.size();
  bool any_table = false;
  for (const Table& t : layout.all()) {
    bool labelled = false;
    for (const KeyColumn& k : t.schema->keys) labelled |= k.label;
    if (!labelled) continue;
    bool any_row = false;
    for (std::uint32_t row = 0; row < t.rows; ++row) {
      if (t.first_seq[row] <= since && since != 0) continue;
      if (!any_row) {
        out.put(any_table ? ",\"" : "{\"names\":{\"");
        out.put(t.schema->table);
        out.put("\":[{");
      } else {
        out.put(",{");
      }
      any_row = any_table = true;
      write_keys(layout, t, row, true, out);
      out.put('}');
    }
    if (any_row) out.put(']');
  }
  if (any_table) out.put("}}\n");
  if (!out.overflow()) return true;
  out.rewind(undo);
  return false;
}

bool write_gap(std::uint64_t from, std::uint64_t to, base::Writer& out) {
  const std::size_t undo = out.size();
  out.print("{\"gap\":{\"from\":%u,\"to\":%u}}\n", from, to);
  if (!out.overflow()) return true;
  out.rewind(undo);
  return false;
}

}  // namespace mikroscope::proc
