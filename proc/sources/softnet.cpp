// /proc/net/softnet_stat: packets handled per CPU. Hexadecimal, 32 bits, one row per online CPU; although in
// net/, it counts for all network namespaces. Columns (0-based): 0 processed, 1 dropped, 2 time_squeeze, 8
// cpu_collision, 9 received_rps (from 2.6.36), 10 flow_limit (3.11), 11 backlog and 12 CPU number (5.10), 13
// input_qlen and 14 process_qlen (6.4). Kernels that print no CPU number give rows in the order of the online
// CPUs, which sysfs lists: row i is the i-th of them while both are equally many; in the tick where they are
// not (a CPU comes or goes) the table is absent.

#include "base/text.h"
#include "proc/file_source.h"
#include "proc/sources/cpu_ids.h"
#include "proc/sources/small_file.h"
#include "proc/tables.h"

namespace mikroscope::proc {
namespace {

constexpr std::size_t kLeastWords = 3;
constexpr std::size_t kCpuWord = 12;
constexpr std::size_t kWords = 15;

constexpr KeyColumn kCpuKey[] = {{"cpu", false, false, "the kernel's CPU number"}};

constexpr Column packets(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::packets, help, Width::bits32};
}
constexpr Column events(std::string_view name, std::string_view help) {
  return {name, Kind::counter, Unit::events, help, Width::bits32};
}
constexpr Column queue(std::string_view name, std::string_view help) {
  return {name, Kind::gauge, Unit::packets, help};
}

constexpr Column kSoftnet[] = {
    packets("processed", "taken from the backlog or a driver by the network soft interrupt"),
    packets("dropped", "dropped because the CPU's backlog was full"),
    events("time_squeeze", "times the budget or the time ran out with work left; a few are normal"),
    events("cpu_collision", "times another CPU held the transmit lock; 0 on recent kernels"),
    events("received_rps", "times another CPU asked this one to take packets (RPS)"),
    events("flow_limit", "times a flow was limited so that others get through"),
    queue("backlog", "waiting in both backlog queues of the CPU (from 5.10)"),
    queue("input_qlen", "waiting in the input queue (from 6.4)"),
    queue("process_qlen", "waiting in the queue being worked off (from 6.4)"),
};
// The word of the row that holds each column.
constexpr std::size_t kWordOf[] = {0, 1, 2, 8, 9, 10, 11, 13, 14};
static_assert(std::size(kWordOf) == std::size(kSoftnet));

struct Row {
  std::uint64_t word[kWords];
  std::size_t words = 0;
};

bool parse_row(std::string_view text, Row& row) {
  base::Scanner line(text);
  while (row.words < kWords && line.hex(row.word[row.words])) {
    if (row.word[row.words] > UINT32_MAX) return false;
    ++row.words;
  }
  return row.words >= kLeastWords;
}

class SoftnetFile final : public FileSource {
 public:
  SoftnetFile() : FileSource("net/softnet_stat", base::FileShape{192}) {}

  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override {
    sys_ = roots.sys;
    online_.open(online_path(), buffer);
    return FileSource::open(roots, arena, buffer);
  }
  void bind(Layout& layout, State& state) override { softnet_.bind(layout, state, kSoftnetSchema); }
  void paths(void (*visit)(void*, std::string_view), void* context) const override {
    FileSource::paths(visit, context);
    if (needs_online_ && online_) visit(context, online_path().view());
  }

 private:
  KernelPath online_path() const { return KernelPath(sys_, "devices/system/cpu/online"); }

  bool parse(std::string_view text, Tick& tick) override {
    Row first;
    if (!parse_row(base::Scanner(text).line(), first)) return false;
    needs_online_ = first.words <= kCpuWord;
    if (needs_online_ && !match_online(text, tick.buffer)) return false;
    bool any = false;
    std::size_t n = 0;
    for (base::Scanner file(text); !file.done(); ++n) {
      Row row;
      if (!parse_row(file.line(), row)) continue;
      if (needs_online_ ? row.words > kCpuWord : row.words <= kCpuWord) continue;  // not a row of this kernel
      const std::uint64_t cpu = needs_online_ ? cpu_of_row(n) : row.word[kCpuWord];
      if (cpu > INT32_MAX || !softnet_.row(static_cast<KeyPart>(cpu))) continue;
      for (std::uint32_t c = 0; c < std::size(kWordOf); ++c) {
        if (kWordOf[c] < row.words) softnet_.set(c, row.word[kWordOf[c]]);
      }
      any = true;
    }
    return any;
  }

  // The text lies in the front of the buffer, so the list is read behind it.
  bool match_online(std::string_view text, base::ReadBuffer buffer) {
    std::size_t rows = 0;
    for (base::Scanner file(text); !file.done(); ++rows) file.line();
    by_row_ = !online_;
    if (by_row_)
      return true;  // no list of CPUs at all: a machine without hotplug, where row and number agree
    std::string_view list;
    return online_.read({buffer.data + text.size(), buffer.capacity - text.size()}, list) &&
           cpus_.parse_list(list) && cpus_.count() == rows;
  }
  std::uint64_t cpu_of_row(std::size_t row) const {
    return by_row_ ? row : static_cast<std::uint64_t>(cpus_[row]);
  }

  std::string_view sys_;
  SmallFile online_;
  bool needs_online_ = false;
  bool by_row_ = false;
  CpuIds cpus_;
  TableWriter softnet_;
};

}  // namespace

constinit const Schema kSoftnetSchema{"softnet", kCpuKey, kSoftnet, "packets handled by each core"};
constinit const SourceDef kSoftnetSource{
    "softnet", "/proc/net/softnet_stat", Group::counters, {}, false, make_source<SoftnetFile>,
};

}  // namespace mikroscope::proc
