// /proc/softirqs: soft interrupts by kind and CPU. The header names all possible CPUs, also those that are
// offline. Generated whole in one read.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/cpu_ids.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kMaxKinds = 16;  // Linux has ten; more are refused and counted

constexpr KeyColumn kKeys[] = {
    {"kind", true, false, "as the kernel names it: NET_RX, TIMER, ..."},
    {"cpu", false, false, "the kernel's CPU number"},
};
constexpr Column kSoftirq[] = {
    {"count", Kind::counter, Unit::events, "times the handler ran", Width::bits32},
};

class SoftirqsFile final : public FileSource {
 public:
  SoftirqsFile() : FileSource("softirqs") {}
  void bind(Layout& layout, State& state) override { softirq_.bind(layout, state, kSoftirqSchema); }

 private:
  bool parse(std::string_view text, Tick&) override {
    base::Scanner file(text);
    if (!cpus_.parse_header(file.line())) return false;
    bool any = false;
    for (std::size_t n = 0; !file.done(); ++n) any |= row(file.line(), n);
    return any;
  }

  // A row whose numbers are not one for each CPU of the header can not be told apart by CPU: it is left out.
  bool row(std::string_view text, std::size_t n) {
    base::Scanner line(text);
    std::string_view name;
    if (!line.until(':', name)) return false;
    name = base::trim(name);
    if (name.empty()) return false;
    std::uint64_t count[kMaxCpus];
    std::size_t counts = 0;
    while (counts < cpus_.count() && line.u64(count[counts])) ++counts;
    line.skip_spaces();
    if (counts != cpus_.count() || !line.done()) return false;
    const KeyPart hint = n < kMaxKinds ? kinds_[n] : -1;
    const KeyPart kind = softirq_.intern(name, hint);
    if (n < kMaxKinds) kinds_[n] = kind;
    for (std::size_t i = 0; i < counts; ++i) {
      if (softirq_.row(kind, cpus_[i])) softirq_.set(0, count[i]);
    }
    return true;
  }

  CpuIds cpus_;
  KeyPart kinds_[kMaxKinds] = {};
  TableWriter softirq_;
};

}  // namespace

constinit const Schema kSoftirqSchema{"softirq", kKeys, kSoftirq,
                                      "soft interrupts of each kind on each core"};
constinit const SourceDef kSoftirqsSource{
    "softirqs", "/proc/softirqs", Group::counters, {}, false, make_source<SoftirqsFile>,
};
std::uint32_t softirq_rows(const Machine& m) {
  return m.possible_cpus * kMaxKinds;
}

}  // namespace mikroscope::proc
