// /proc/interrupts: every interrupt line by CPU, and the machine-wide error counts. Only online CPUs have a
// column, so the header's numbers decide which CPU a number belongs to. After the counts stand chip, hardware
// number, trigger and the devices; the devices are the row's name. Kernels keep 32 bits, also 64-bit ones.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/cpu_ids.h"
#include "proc/sources/stat_columns.h"
#include "proc/tables.h"
#include "proc/unchanged_lines.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kLines = 2048;           // remembered; further lines are only looked up more slowly
constexpr std::size_t kKept = 32768;           // bytes of the last text, to know lines that did not change
constexpr std::size_t kArchitectureRows = 20;  // x86 prints some fifteen rows (NMI, LOC, ...) as one record
constexpr std::size_t kDescription = 96;       // room for the text of a row in the bound of a record
constexpr std::size_t kDigits = 11;            // "%10u "

constexpr KeyColumn kKeys[] = {
    {"irq", true, false, "as the kernel names it: a number, or IPI0, NMI, LOC, ..."},
    {"name", true, true, "the devices that use it, or what the kernel says of it"},
    {"cpu", false, false, "the kernel's CPU number"},
};
constexpr Column kIrqCpu[] = {
    {"count", Kind::counter, Unit::events, "interrupts serviced", Width::bits32},
};

// Whether a word of a row's text is its trigger: Level, Edge (ARM), 9-fasteoi, PCI-MSI-edge (x86).
bool is_trigger(std::string_view word) {
  return word == "Level" || word == "Edge" || word.ends_with("-level") || word.ends_with("-edge") ||
         word.ends_with("-fasteoi");
}

// The devices of a row: what follows the trigger, or all of it where there is no trigger or nothing after it.
std::string_view devices_of(std::string_view description) {
  base::Scanner s(description);
  while (!s.done()) {
    const std::string_view word = s.word();
    if (word.empty()) break;
    if (!is_trigger(word)) continue;
    const std::string_view rest = base::trim(s.rest());
    if (!rest.empty()) return rest;
    break;
  }
  return description;
}

class InterruptsFile final : public FileSource {
 public:
  InterruptsFile() : FileSource("interrupts", base::kUntilZero) {}
  void bind(Layout& layout, State& state) override {
    irq_cpu_.bind(layout, state, kIrqCpuSchema);
    stat_.bind(layout, state, kStatSchema);
  }

 private:
  // What stood in one line the last time: while irq, length and end agree, so do the texts, and while the
  // header is that of the last time, so are the rows: first_row for the first CPU, and on, where they stand
  // in one piece.
  struct Line {
    KeyPart irq;
    KeyPart name;
    std::uint32_t length;
    std::uint32_t first_row;
    std::uint32_t header;  // header_count_ when first_row was right; 0: it is not
  };

  bool prepare(base::Arena& arena) override {
    lines_ = arena.make<Line>(kLines);
    return lines_ != nullptr && unchanged_.prepare(arena, kLines, kKept);
  }

  bool parse(std::string_view text, Tick&) override {
    base::Scanner file(text);
    const std::string_view header = file.line();
    unchanged_.begin(text);
    if (header.size() != header_size_ || !unchanged_.same_start(header_size_)) {
      unchanged_.forget();
      header_size_ = 0;
      if (!cpus_.parse_header(header)) return false;
      header_size_ = header.size();
      ++header_count_;
    }
    set_shape(base::FileShape{kArchitectureRows * (kDigits * cpus_.count() + kDescription)});
    bool any = false;
    for (std::size_t n = 0; !file.done(); ++n) {
      const std::string_view line = file.line();
      any |= unchanged_.same(n, line) ? repeat(n) : row(line, n);
    }
    unchanged_.end();
    return any;
  }

  // Calls give(i) with the row of the i-th CPU selected.
  template <class Give>
  void each_cpu(Line& line, Give give) {
    const std::size_t cpus = cpus_.count();
    if (line.header == header_count_) {
      for (std::size_t i = 0; i < cpus; ++i) {
        irq_cpu_.select(line.first_row + static_cast<std::uint32_t>(i));
        give(i);
      }
      return;
    }
    bool in_one_piece = true;
    for (std::size_t i = 0; i < cpus; ++i) {
      if (!irq_cpu_.row(line.irq, line.name, cpus_[i])) {
        in_one_piece = false;
        continue;
      }
      if (i == 0) line.first_row = irq_cpu_.row_index();
      in_one_piece = in_one_piece && irq_cpu_.row_index() == line.first_row + i;
      give(i);
    }
    line.header = in_one_piece ? header_count_ : 0;
  }

  // Its counts are those of the last reading.
  bool repeat(std::size_t n) {
    each_cpu(lines_[n], [this](std::size_t) { irq_cpu_.set_again(0); });
    return true;
  }

  bool row(std::string_view text, std::size_t n) {
    unchanged_.unmark(n);
    base::Scanner line(text);
    std::string_view irq;
    if (!line.until(':', irq)) return false;  // "IPI0:1145401553": not always a blank after it
    irq = base::trim(irq);
    if (irq == "Err" || irq == "ERR") return machine_wide(line, kIrqErr);
    if (irq == "MIS") return machine_wide(line, kIrqMis);
    std::uint64_t count[kMaxCpus];
    if (irq.empty() || !counts(line, count)) return false;
    Line unremembered{-1, -1, 0, 0, 0};
    Line& key = n < kLines ? lines_[n] : unremembered;
    identify(irq, text, line.rest(), key);
    each_cpu(key, [&](std::size_t i) { irq_cpu_.set(0, count[i]); });
    unchanged_.mark(n, text);
    return true;
  }

  // Exactly one number for each CPU of the header, else the row belongs to no CPU in particular (FIQ has
  // none; a CPU that comes or goes while the file is printed shifts them).
  bool counts(base::Scanner& line, std::uint64_t (&count)[kMaxCpus]) const {
    for (std::size_t i = 0; i < cpus_.count(); ++i) {
      if (!line.u64(count[i]) || (!line.done() && !base::is_space(line.peek()))) return false;
    }
    base::Scanner ahead(line.rest());
    std::uint64_t surplus = 0;
    return !ahead.u64(surplus) || (!ahead.done() && !base::is_space(ahead.peek()));
  }

  void identify(std::string_view irq, std::string_view text, std::string_view description, Line& line) {
    description = base::trim(description);
    if (line.length == text.size() && irq_cpu_.text(line.irq) == irq) {
      const std::string_view name = irq_cpu_.text(line.name);
      if (!name.empty() && description.ends_with(name)) return;
    }
    line.irq = irq_cpu_.intern(irq);
    line.name = irq_cpu_.intern(devices_of(description));
    line.length = static_cast<std::uint32_t>(text.size());
    line.header = 0;
  }

  bool machine_wide(base::Scanner& line, StatColumn column) {
    std::uint64_t value = 0;
    if (!line.u64(value)) return false;
    stat_.single();
    stat_.set(column, value);
    return true;
  }

  Line* lines_ = nullptr;
  std::size_t header_size_ = 0;
  std::uint32_t header_count_ = 0;  // headers understood, so that 0 is none of them
  UnchangedLines unchanged_;
  CpuIds cpus_;
  TableWriter irq_cpu_;
  TableWriter stat_;
};

}  // namespace

constinit const Schema kIrqCpuSchema{"irq_cpu", kKeys, kIrqCpu, "interrupts of each line on each core"};
constinit const SourceDef kInterruptsSource{
    "interrupts", "/proc/interrupts", Group::counters, {}, false, make_source<InterruptsFile>,
};
std::uint32_t irq_rows(const Machine& m) {
  // Queues of disks and network cards come per CPU. The bound only limits the address space that is set
  // aside.
  constexpr std::uint64_t kMostRows = 131072;
  const std::uint64_t rows = std::uint64_t{m.possible_cpus} * (256 + std::uint64_t{4} * m.possible_cpus);
  return static_cast<std::uint32_t>(rows < kMostRows ? rows : kMostRows);
}

}  // namespace mikroscope::proc
