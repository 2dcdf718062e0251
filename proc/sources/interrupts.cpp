// /proc/interrupts: every interrupt line by CPU, and the machine-wide error counts. Only online CPUs have a
// column, so the header's numbers decide which CPU a number belongs to. After the counts stand chip, hardware
// number, trigger and the devices; the devices are the row's name. Kernels keep 32 bits, also 64-bit ones.

#include <cstring>

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/cpu_ids.h"
#include "proc/sources/stat_columns.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kLines = 2048;           // remembered; further lines are only looked up more slowly
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

constexpr std::size_t kKept = 32768;  // of the last text, to know lines that did not change

// memcmp() by words: small C libraries compare byte by byte.
bool same_bytes(const char* a, const char* b, std::size_t size) {
  for (; size >= sizeof(std::uint64_t); size -= sizeof(std::uint64_t)) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    if (x != y) return false;
    a += sizeof x;
    b += sizeof y;
  }
  for (; size != 0; --size) {
    if (*a++ != *b++) return false;
  }
  return true;
}

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
    irq_cpu_ = bind_table(layout, state, kIrqCpuSchema);
    stat_ = bind_table(layout, state, kStatSchema);
  }

 private:
  // What stood in one line at the last tick: while irq, length and end agree, so do the texts.
  struct Line {
    KeyPart irq;
    KeyPart name;
    std::uint32_t length;
    std::uint32_t at;  // where in the text it began
    bool counted;      // it gave a count for each CPU of the header
  };

  bool prepare(base::Arena& arena) override {
    lines_ = arena.make<Line>(kLines);
    kept_ = static_cast<char*>(arena.take(kKept, 1));
    return lines_ != nullptr && kept_ != nullptr;
  }

  bool parse(std::string_view text, Tick&) override {
    base::Scanner file(text);
    const std::string_view header = file.line();
    const bool same_header = header.size() == header_size_ && header_size_ <= kept_size_ &&
                             same_bytes(header.data(), kept_, header_size_);
    if (!same_header && !cpus_.parse_header(header)) {
      kept_size_ = header_size_ = 0;
      return false;
    }
    if (!same_header) kept_size_ = 0;
    header_size_ = header.size();
    set_shape(base::FileShape{kArchitectureRows * (kDigits * cpus_.count() + kDescription)});
    bool any = false;
    for (std::size_t n = 0; !file.done(); ++n) {
      const auto at = static_cast<std::uint32_t>(text.size() - file.rest().size());
      const std::string_view line = file.line();
      any |= repeat(line, at, n) || row(line, at, n);
    }
    kept_size_ = text.size() < kKept ? text.size() : kKept;
    std::memcpy(kept_, text.data(), kept_size_);
    return any;
  }

  // A line that is what it was, where it was: on most machines most lines. Its counts are those of the last
  // reading.
  bool repeat(std::string_view text, std::uint32_t at, std::size_t n) {
    if (n >= kLines || !lines_[n].counted || lines_[n].at != at || lines_[n].length != text.size() ||
        at + text.size() > kept_size_ || !same_bytes(text.data(), kept_ + at, text.size())) {
      return false;
    }
    for (std::size_t i = 0; i < cpus_.count(); ++i) {
      if (irq_cpu_.row(lines_[n].irq, lines_[n].name, cpus_[i])) irq_cpu_.set_again(0);
    }
    return true;
  }

  bool row(std::string_view text, std::uint32_t at, std::size_t n) {
    if (n < kLines) lines_[n].counted = false;
    base::Scanner line(text);
    std::string_view irq;
    if (!line.until(':', irq)) return false;  // "IPI0:1145401553": not always a blank after it
    irq = base::trim(irq);
    if (irq == "Err" || irq == "ERR") return machine_wide(line, kIrqErr);
    if (irq == "MIS") return machine_wide(line, kIrqMis);
    std::uint64_t count[kMaxCpus];
    if (irq.empty() || !counts(line, count)) return false;
    const Line key = identify(irq, text, line.rest(), n);
    for (std::size_t i = 0; i < cpus_.count(); ++i) {
      if (irq_cpu_.row(key.irq, key.name, cpus_[i])) irq_cpu_.set(0, count[i]);
    }
    if (n < kLines) {
      lines_[n].at = at;
      lines_[n].counted = true;
    }
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

  Line identify(std::string_view irq, std::string_view text, std::string_view description, std::size_t n) {
    Line fresh{-1, -1, static_cast<std::uint32_t>(text.size()), 0, false};
    Line& known = n < kLines ? lines_[n] : fresh;
    description = base::trim(description);
    if (known.length == text.size() && irq_cpu_.text(known.irq) == irq) {
      const std::string_view name = irq_cpu_.text(known.name);
      if (!name.empty() && description.ends_with(name)) return known;
    }
    known.irq = irq_cpu_.intern(irq);
    known.name = irq_cpu_.intern(devices_of(description));
    known.length = static_cast<std::uint32_t>(text.size());
    return known;
  }

  bool machine_wide(base::Scanner& line, StatColumn column) {
    std::uint64_t value = 0;
    if (!line.u64(value)) return false;
    stat_.single();
    stat_.set(column, value);
    return true;
  }

  Line* lines_ = nullptr;
  char* kept_ = nullptr;  // the start of the text that gave the counts
  std::size_t kept_size_ = 0;
  std::size_t header_size_ = 0;
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
