#include "plot/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "plot/binding.h"
#include "plot/busy.h"
#include "plot/hash_behind.h"
#include "proc/reader/reader.h"

namespace mikroscope::plot {
namespace {

constexpr std::size_t kMaxEvents = 20'000;  // log records kept for one figure

class Collector {
 public:
  Collector(std::int64_t interval_ns, const Grid& grid, std::span<const Panel* const> panels,
            std::uint32_t smooth, WholePass* whole)
      : whole_(whole) {
    out_.grid = grid;
    out_.smooth = smooth;
    out_.slide = samples_per_100_ms(interval_ns);
    out_.panels.resize(panels.size());
    for (std::size_t i = 0; i < panels.size(); ++i) {
      out_.panels[i].panel = panels[i];
      for (const Pick& pick : panels[i]->picks) {
        fine_ |= pick.take == Take::busy_cycles || pick.take == Take::busy_idle;
        bindings_.push_back({&out_.panels[i], Binding(pick, out_.panels[i], out_.grid, smooth, out_.slide)});
      }
    }
  }

  void resume(const AxisCursor& cursor) {
    cursor_ = cursor;
    fresh_ = false;
  }
  // False: everything up to the end of the window has been seen.
  bool item(const proc::Item& item) {
    return std::visit([this](const auto& i) { return on(i); }, item);
  }
  void input_ended() { ended_ = true; }
  Collected finish();

 private:
  bool on(const proc::Frame& f) {
    const proc::TickHeader& h = f.head;
    if (h.seq == 0) return true;
    const std::uint32_t epoch = cursor_.epoch();
    const std::int64_t before = cursor_.last();
    const bool any = cursor_.any();
    const SampleHead head{h.seq, h.boot_ns, h.wall_ns, h.dt_ns};
    const auto axis = cursor_.place(head);
    if (!axis) return true;
    if (whole_ != nullptr) {
      whole_->timeline.add(head, *axis, cursor_);
      ++whole_->samples;
    }
    if (cursor_.epoch() != epoch) pending_.restart = pending_.reboot = true;
    if (last_seq_ != 0 && h.seq <= last_seq_) pending_.restart = true;  // that no line told of
    if (any && !fresh_ && !pending_.restart && pending_.lost == 0 && last_seq_ != 0 &&
        h.seq > last_seq_ + 1) {
      pending_.lost = h.seq - last_seq_ - 1;
    }
    if (!any) pending_ = {};  // before the first sample there is nothing to lose
    if (pending_.lost != 0 || pending_.restart) broken(any ? before : *axis, *axis);
    last_seq_ = h.seq;
    fresh_ = false;
    if (*axis > out_.grid.last_ns) return false;
    for (const std::string& label : pending_triggers_) out_.triggers.push_back({*axis, label});
    pending_triggers_.clear();
    if (*axis < out_.grid.first_ns) {
      out_.triggers.clear();
      return true;
    }
    ++out_.samples;
    const CoreShares& shares = shares_.of(f, fine_);
    out_.cores = std::max(out_.cores, shares.cores);
    const std::uint32_t column = out_.grid.column(static_cast<double>(*axis));
    for (auto& [panel, binding] : bindings_) binding.frame(f, *axis, column, shares);
    return true;
  }

  void broken(std::int64_t from, std::int64_t to) {
    for (PanelData& p : out_.panels) {
      for (NamedSeries& s : p.series) s.series.cut();
    }
    if (to >= out_.grid.first_ns && from <= out_.grid.last_ns) {
      pending_.from_ns = from;
      pending_.to_ns = to;
      out_.breaks.push_back(pending_);
    }
    pending_ = {};
  }

  bool on(const proc::Gap& g) {
    pending_.lost += g.to >= g.from ? g.to - g.from + 1 : 0;
    return true;
  }
  bool on(const proc::Restart& r) {
    pending_.restart = true;
    pending_.reboot |= r.reboot;
    if (r.reboot) cursor_.reboot();
    return true;
  }
  bool on(const proc::Trigger& t) {
    pending_triggers_.push_back(fmt::format("{}: {} {:g}", t.cause, t.field, t.value));
    return true;
  }
  bool on(const proc::LogRecord& r) {
    if (!cursor_.any()) return true;
    const std::int64_t axis = r.boot_ns + cursor_.boot_to_axis();
    if (axis < out_.grid.first_ns || axis > out_.grid.last_ns) return true;
    if (out_.events.size() == kMaxEvents) {
      ++out_.events_not_kept;
    } else {
      out_.events.push_back({axis, r.level, r.message});
    }
    return true;
  }
  bool on(const proc::Malformed& m) {
    if (ended_) {
      out_.cut_last_line = true;
      return true;
    }
    if (out_.lines_skipped++ == 0) out_.first_skipped = fmt::format("line {}: {}", m.line, m.why);
    return true;
  }
  bool on(const proc::Bye&) { return true; }
  bool on(const proc::OtherLine&) { return true; }

  Collected out_;
  struct Bound {
    PanelData* panel;
    Binding binding;
  };
  std::vector<Bound> bindings_;
  AxisCursor cursor_;
  bool fresh_ = true;  // no sample seen yet
  bool ended_ = false;
  std::uint64_t last_seq_ = 0;
  Break pending_;
  std::vector<std::string> pending_triggers_;
  BusyShares shares_;
  bool fine_ = false;
  WholePass* const whole_;
};

Collected Collector::finish() {
  out_.gaps_at_end = pending_.lost;
  for (auto& [panel, binding] : bindings_) {
    out_.rows_not_kept += binding.not_kept();
    if (binding.is_limit()) panel->limit = binding.limit();
  }
  for (PanelData& p : out_.panels) {
    for (NamedSeries& s : p.series) {
      s.series.finish();
      out_.dropped_samples = std::max(out_.dropped_samples, s.series.dropped_samples());
    }
    settle(p);
  }
  bindings_.clear();
  return std::move(out_);
}

// Those that the panels draw: a recording holds far more.
std::vector<std::string_view> tables_of(std::span<const Panel* const> panels) {
  std::vector<std::string_view> out;
  for (const Panel* panel : panels) {
    for (const Pick& pick : panel->picks) {
      out.push_back(pick.table);
      if (pick.take == Take::busy_cycles) out.insert(out.end(), {"perf", "cpufreq"});
      if (pick.take == Take::busy_idle) out.push_back("cpuidle");
    }
  }
  out.push_back("cpu");  // the number of cores decides about panels
  return out;
}

}  // namespace

base::Result<Collected> collect(const std::string& path, const RecordingIndex& index, const Grid& grid,
                                std::span<const Panel* const> panels, std::uint32_t smooth,
                                WholePass* whole) {
  Collector collector(index.interval_ns, grid, panels, smooth, whole);
  proc::NdjsonReader reader;
  reader.only(tables_of(panels));
  FilePieces file;
  if (auto opened = file.open(path); !opened) return opened.error();
  std::optional<HashBehind> hash;
  if (whole != nullptr && whole->hash) hash.emplace(FilePieces::kValid);

  // A window that begins late needs nothing of the lines before it but the names in them.
  const ResumePoint* start = nullptr;
  for (const ResumePoint& r : index.resume) {
    if (r.axis_ns >= grid.first_ns) break;
    start = &r;
  }
  if (start != nullptr && start->offset != 0) {
    for (const RecordingIndex::Extent& e : index.names) {
      if (e.offset < start->offset) reader.feed(file.at(e.offset, e.length));
    }
    while (const auto item = reader.next()) collector.item(*item);
    collector.resume(start->cursor);
    file.seek(start->offset);
  }
  bool more = true;
  while (more) {
    auto piece = file.next();
    if (!piece) return piece.error();
    const bool at_end = piece->empty();
    if (hash) hash->update(*piece);
    if (at_end) {
      // What comes now is about the last line, if it was cut; the file's own line break tells.
      if (index.cut_last_line) collector.input_ended();
      reader.finish();
    } else {
      reader.feed_in_place(*piece);
    }
    while (more) {
      const auto item = reader.next();
      if (!item) break;
      more = collector.item(*item);
    }
    if (at_end) break;
  }
  if (hash && more) whole->sha256 = hash->hex();
  return collector.finish();
}

}  // namespace mikroscope::plot
