// /proc/pressure/{cpu,memory,io,irq}: time in which tasks stalled for want of a resource. Only the totals:
// the averages are the reader's to make. A kernel with PSI built in but switched off opens the files and
// refuses to read them.

#include "base/text.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr Column stalled(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::microseconds, help};
}
constexpr Column kPsi[] = {
    stalled("cpu_some_us", "some task waited for a CPU"),
    stalled("mem_some_us", "some task waited for memory"),
    stalled("mem_full_us", "all tasks that were not idle waited for memory"),
    stalled("io_some_us", "some task waited for I/O"),
    stalled("io_full_us", "all tasks that were not idle waited for I/O"),
    stalled("irq_full_us", "tasks waited while the CPU served interrupts (from 6.1)"),
};

constexpr std::int8_t kNone =
    -1;  // cpu's "full" line is always 0 for a whole machine; irq has no "some" line
struct Resource {
  const char* name;
  std::int8_t some;
  std::int8_t full;
};
constexpr Resource kResources[] = {
    {"cpu", 0, kNone},
    {"memory", 1, 2},
    {"io", 3, 4},
    {"irq", kNone, 5},
};
constexpr std::size_t kCount = std::size(kResources);

class PsiFiles final : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena&, base::ReadBuffer buffer) override {
    root_ = roots.proc;
    return open_missing(buffer);
  }
  void bind(Layout& layout, State& state) override { psi_.bind(layout, state, kPsiSchema); }

  ReadStatus read(Tick& tick) override {
    if (minute_.due(tick.now_boot_ns)) open_missing(tick.buffer);
    bool any_open = false;
    bool any = false;
    for (std::size_t i = 0; i < kCount; ++i) {
      std::string_view text;
      any_open |= static_cast<bool>(file_[i]);
      if (file_[i].read(tick.buffer, text)) any |= parse(text, kResources[i]);
    }
    return any ? ReadStatus::ok : any_open ? ReadStatus::failed : ReadStatus::absent;
  }

  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (file_[i]) visit(context, path(i).view());
    }
  }

 private:
  KernelPath path(std::size_t i) const { return KernelPath(root_, "pressure/%s", kResources[i].name); }

  ReadStatus open_missing(base::ReadBuffer buffer) {
    ReadStatus worst = ReadStatus::absent;
    bool any = false;
    for (std::size_t i = 0; i < kCount; ++i) {
      const ReadStatus status = file_[i] ? ReadStatus::ok : file_[i].open(path(i), buffer);
      if (status == ReadStatus::forbidden) worst = status;
      any |= status == ReadStatus::ok;
    }
    return any ? ReadStatus::ok : worst;
  }

  // some avg10=0.00 avg60=0.00 avg300=0.00 total=123
  bool parse(std::string_view text, const Resource& resource) {
    bool any = false;
    for (base::Scanner file(text); !file.done();) {
      base::Scanner line(file.line());
      const std::string_view kind = line.word();
      const int column = kind == "some" ? resource.some : kind == "full" ? resource.full : kNone;
      if (column == kNone) continue;
      while (!line.done()) {
        base::Scanner field(line.word());
        std::uint64_t total = 0;
        if (!field.consume("total=")) {
          if (field.done()) break;
          continue;
        }
        if (!field.u64(total) || !field.done()) break;
        psi_.single();
        psi_.set(static_cast<std::uint32_t>(column), total);
        any = true;
      }
    }
    return any;
  }

  std::string_view root_;
  SmallFile file_[kCount];
  EveryMinute minute_;
  TableWriter psi_;
};

}  // namespace

constinit const Schema kPsiSchema{"psi", {}, kPsi, "time that tasks stalled (pressure stall information)"};
constinit const SourceDef kPsiSource{
    "psi", "/proc/pressure/{cpu,memory,io,irq}", Group::memory, {}, false, make_source<PsiFiles>,
};

}  // namespace mikroscope::proc
