// What a source of kernel data is. A new one is one file in proc/sources/ and one line in proc/registry.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "base/file.h"
#include "proc/layout.h"
#include "proc/schema.h"

namespace mikroscope::proc {

// Where the kernel's trees are; "/proc" and "/sys" but for tests. Paths are at most kMaxPath - 1 bytes.
constexpr std::size_t kMaxPath = 256;
struct Roots {
  std::string_view proc = "/proc";
  std::string_view sys = "/sys";
  std::string_view kmsg = "/dev/kmsg";  // with another proc root: <its parent>/dev/kmsg
  bool live = true;                     // the real kernel of this machine: perf_event_open makes sense
};
// root + "/" + rest, NUL-terminated in `out`; false when it does not fit.
bool join_path(std::string_view root, std::string_view rest, char (&out)[kMaxPath]);

// Order and grouping within a tick: cheap counters first, back to back, since their common instant is what
// makes them comparable. The offset of each group from the tick is reported (table timing).
enum class Group : std::uint8_t { counters, memory, devices, slow, self };
constexpr std::string_view kGroupNames[] = {"counters", "memory", "devices", "slow", "self"};

// How often a source is read, and why not at every tick. max_hz == 0: every tick.
struct Cadence {
  std::uint32_t max_hz = 0;                         // at most this often
  std::uint32_t every_s = 0;                        // or once in so many seconds
  [[no_unique_address]] TableText reason = "rate";  // rate | budget | declared | policy | override
};

enum class ReadStatus : std::uint8_t {
  ok,
  absent,     // this kernel has no such file (or lost it): retried once a minute
  forbidden,  // exists, but this process may not read it
  failed,     // could not be read or understood this time; left out of this frame and counted
};
std::string_view read_status_name(ReadStatus status);

// One kernel log record or other event found while reading, handed to the agent's ring.
struct EventSink {
  // One complete JSON object of its own line kind, without '\n' (for example {"log":{…}}).
  virtual void event(std::string_view line) = 0;

 protected:
  ~EventSink() = default;
};

// What a source reads with and writes to during one tick.
struct Tick {
  Layout& layout;
  State& state;
  base::ReadBuffer buffer;  // shared by all sources, valid for the duration of one read
  EventSink* events = nullptr;
  bool until_zero = false;  // the periodic check that short reads really were ends (base::FileShape)
  std::int64_t now_boot_ns = 0;
};

// Sources live in the agent's arena for its whole life and are never destroyed.
class Source {
 public:
  // Opens files and takes memory. Called again once a minute while the answer was absent. Keeps descriptors
  // open.
  virtual ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) = 0;
  // Binds to the tables (by schema, in `layout`); called once, before the first read().
  virtual void bind(Layout& layout, State& state) = 0;
  // Reads and parses into tick.state. Everything it sets counts as present; on failed it must have set
  // nothing.
  virtual ReadStatus read(Tick& tick) = 0;
  // The kernel paths that this source reads now, for /capabilities and for the bench's bare reader.
  virtual void paths(void (*visit)(void* context, std::string_view path), void* context) const = 0;
  // A cadence that depends on the machine (a thermal zone's declared polling delay); default: the registered
  // one.
  virtual Cadence cadence(const Cadence& registered) const { return registered; }

 protected:
  ~Source() = default;
};

// How many rows a table may grow to on a machine, from facts taken at start.
struct Machine {
  std::uint32_t possible_cpus = 1;  // /sys/devices/system/cpu/possible, or the highest number in /proc/stat
};

struct TableDef {
  const Schema* schema;
  // Room for rows; the pages that are never written cost nothing.
  std::uint32_t (*capacity)(const Machine& machine);
};

struct SourceDef {
  [[no_unique_address]] TableText name;  // as in SOURCES=
  [[no_unique_address]] HelpText help;
  Group group;
  [[no_unique_address]] Cadence cadence;
  bool privileged;  // needs RouterOS privileged=yes (or root)
  Source* (*make)(base::Arena& arena);
};

// The registries (proc/registry.cpp): everything that iterates, iterates over these.
std::span<const TableDef> all_tables();
std::span<const SourceDef* const> all_sources();
const SourceDef* find_source(std::string_view name);

}  // namespace mikroscope::proc
