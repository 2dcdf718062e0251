#include "agent/subtick.h"

#include <cstring>

#include "proc/delta.h"
#include "proc/tables.h"
#include "proc/timing_columns.h"

namespace mikroscope::agent {
namespace {

constexpr char kSoftnetColumns[] = "processed\0dropped\0time_squeeze\0";
const proc::SourceDef* const kSources[] = {&proc::kStatSource, &proc::kSoftnetSource};

}  // namespace

bool SubtickReader::start(const Config& config, const proc::Roots& roots, base::Arena& arena,
                          base::ReadBuffer buffer, const proc::Machine& machine) {
  parts_ = config.subtick;
  if (!on()) return true;
  buffer_ = buffer;
  // Tables of their own: the sample's cells must stay those of the tick.
  const auto tables = proc::all_tables();
  const proc::Schema* schemas[proc::kMaxTables] = {};
  std::uint32_t capacities[proc::kMaxTables] = {};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    schemas[i] = tables[i].schema;
    const bool used = tables[i].schema == &proc::kCpuSchema || tables[i].schema == &proc::kSoftnetSchema;
    capacities[i] = used ? tables[i].capacity(machine) : 1;
  }
  texts_ = proc::Texts(arena, 16, 1024);
  layout_ = proc::make_layout(arena, {schemas, tables.size()}, {capacities, tables.size()}, &texts_);
  if (layout_.tables == nullptr) return false;
  now_ = proc::make_state(arena, layout_);
  before_ = proc::make_state(arena, layout_);
  cpu_count_ = machine.possible_cpus;
  cpus_ = arena.make<Extremes>(cpu_count_);
  if (now_.values == nullptr || before_.values == nullptr || cpus_ == nullptr) return false;
  for (std::size_t i = 0; i < std::size(kSources); ++i) {
    const proc::SourceDef* const def = kSources[i];
    if (!source_selected(config.sources, def->name)) continue;
    sources_[i] = def->make(arena);
    if (sources_[i] == nullptr) return false;
    open_[i] = sources_[i]->open(roots, arena, buffer) == proc::ReadStatus::ok;
    sources_[i]->bind(layout_, now_);
  }
  cpu_table_ = static_cast<std::uint32_t>(layout_.find("cpu"));
  softnet_table_ = static_cast<std::uint32_t>(layout_.find("softnet"));
  const char* names = kBusyModes;
  for (int& column : busy_) column = proc::kCpuSchema.column(base::next_name(names));
  names = kSoftnetColumns;
  for (int& column : softnet_) column = proc::kSoftnetSchema.column(base::next_name(names));
  return true;
}

bool SubtickReader::sum(std::uint32_t table, std::uint32_t row, const int* columns, std::size_t count,
                        std::uint64_t& out) const {
  const proc::Table& t = layout_.tables[table];
  bool any = false;
  out = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (columns[i] < 0) continue;
    const auto column = static_cast<std::uint32_t>(columns[i]);
    const std::uint32_t slot = t.slot(row, column);
    if (now_.present[slot] == 0 || before_.present[slot] == 0) continue;
    const proc::Delta d =
        proc::difference(before_.values[slot], now_.values[slot], t.schema->columns[column].width);
    if (!d.has_value()) continue;
    out += d.value;
    any = true;
  }
  return any;
}

void SubtickReader::note(std::uint32_t table, std::uint32_t row, Measure measure, const int* columns,
                         std::size_t count) {
  std::uint64_t value = 0;
  const proc::KeyPart cpu = layout_.tables[table].keys[row].part[0];
  if (cpu < 0 || static_cast<std::uint32_t>(cpu) >= cpu_count_ || !sum(table, row, columns, count, value))
    return;
  Extremes& e = cpus_[cpu];
  if (e.readings[measure] == 0 || value < e.least[measure]) e.least[measure] = value;
  if (e.readings[measure] == 0 || value > e.most[measure]) e.most[measure] = value;
  e.last[measure] = value;
  ++e.readings[measure];
}

void SubtickReader::remember(std::uint32_t table) {
  const proc::Table& t = layout_.tables[table];
  std::memcpy(before_.values + t.slot0, now_.values + t.slot0, t.used_slots() * sizeof(std::uint64_t));
  std::memcpy(before_.present + t.slot0, now_.present + t.slot0, t.used_slots());
}

void SubtickReader::read(std::int64_t monotonic_ns) {
  proc::TickHeader head;
  head.seq = now_.head.seq + 1;
  proc::begin_tick(layout_, now_, head);
  proc::Tick tick{layout_, now_, buffer_, nullptr, false, 0};
  for (std::size_t i = 0; i < std::size(kSources); ++i) {
    if (open_[i]) (void)sources_[i]->read(tick);
  }
  if (primed_) {
    for (std::uint32_t row = 0; row < layout_.tables[cpu_table_].rows; ++row) {
      note(cpu_table_, row, kBusy, busy_, std::size(busy_));
    }
    for (std::uint32_t row = 0; row < layout_.tables[softnet_table_].rows; ++row) {
      note(softnet_table_, row, kProcessed, &softnet_[0], 1);
      note(softnet_table_, row, kDropped, &softnet_[1], 1);
      note(softnet_table_, row, kSqueezed, &softnet_[2], 1);
    }
    ++readings_;
    last_ns_ = monotonic_ns;
  } else {
    first_ns_ = last_ns_ = monotonic_ns;
  }
  remember(cpu_table_);
  remember(softnet_table_);
  primed_ = true;
}

void SubtickReader::flush(proc::Layout& layout, proc::State& state) {
  proc::TableWriter out;
  out.bind(layout, state, proc::kSubtickSchema);
  for (std::uint32_t cpu = 0; readings_ != 0 && cpu < cpu_count_; ++cpu) {
    Extremes& e = cpus_[cpu];
    if (e.readings[kBusy] == 0 && e.readings[kProcessed] == 0) continue;
    if (!out.row(static_cast<proc::KeyPart>(cpu))) continue;
    if (e.readings[kBusy] != 0) {
      out.set(proc::kSubtickBusyMin, e.least[kBusy]);
      out.set(proc::kSubtickBusyMax, e.most[kBusy]);
      out.set(proc::kSubtickBusyLast, e.last[kBusy]);
    }
    if (e.readings[kProcessed] != 0) {
      out.set(proc::kSubtickProcessedMin, e.least[kProcessed]);
      out.set(proc::kSubtickProcessedMax, e.most[kProcessed]);
      out.set(proc::kSubtickProcessedLast, e.last[kProcessed]);
    }
    if (e.readings[kDropped] != 0) out.set(proc::kSubtickDroppedMax, e.most[kDropped]);
    if (e.readings[kSqueezed] != 0) out.set(proc::kSubtickSqueezeMax, e.most[kSqueezed]);
    out.set_gauge(proc::kSubtickIntervalNs, (last_ns_ - first_ns_) / readings_);
    e = Extremes{};
  }
  first_ns_ = last_ns_;
  readings_ = 0;
}

}  // namespace mikroscope::agent
