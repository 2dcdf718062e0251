// What a reader of agent data sees: the items of one timeline, whatever form they came in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proc/delta.h"
#include "proc/layout.h"

namespace mikroscope::proc {

// A counter that did not simply grow (docs/wire.md, "odd").
struct OddCell {
  std::uint32_t table = 0;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  DeltaKind kind = DeltaKind::reset;
};

// One tick. A view into its reader: valid until the reader is asked for the next item. `layout` lives as long
// as the reader and only ever gains rows and tables; rows beyond rows(table) did not exist at this frame.
struct Frame {
  TickHeader head;
  const Layout* layout = nullptr;
  const std::int64_t* values =
      nullptr;  // slots: difference of a counter, level of a gauge (times 10^decimals)
  const std::uint8_t* present = nullptr;  // slots
  const std::uint64_t* totals =
      nullptr;  // slots: the kernel's running totals, or nullptr where the stream has none
  const std::int64_t* intervals_ns = nullptr;  // per table: what its differences cover
  std::span<const OddCell> odd;
  std::span<const std::uint32_t> rows;  // per table

  std::optional<std::int64_t> cell(std::uint32_t table, std::uint32_t row, std::uint32_t column) const {
    if (table >= rows.size() || row >= rows[table]) return std::nullopt;
    const std::uint32_t slot = layout->tables[table].slot(row, column);
    return present[slot] != 0 ? std::optional(values[slot]) : std::nullopt;
  }
  bool has_table(std::uint32_t table) const;
};

struct Gap {  // samples from..to are lost
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};
struct Restart {  // the agent began again: sequence numbers start over
  std::string instance;
  std::string previous_instance;
  bool reboot = false;  // the kernel's boot id changed too
};
struct Trigger {
  std::uint64_t id = 0;
  std::string cause;  // the condition as configured, e.g. busy>=0.95
  std::string field;  // e.g. cpu[2].busy_ratio
  double value = 0;
  double threshold = 0;
  std::uint64_t seq = 0;
  std::int64_t wall_ns = 0;
};
struct LogRecord {  // one record of the kernel log
  int level = 6;    // 0 emerg … 7 debug
  int facility = 0;
  std::uint64_t seq = 0;  // the kernel's
  std::int64_t boot_ns = 0;
  std::string message;
  std::string interface;  // kernel interface named in it, or empty
  std::string kind;       // link-up, link-down, stp-<state>, own-address, other; empty without an interface
};
struct Bye {  // the agent ends this stream
  std::string reason;
};
struct OtherLine {  // a line kind this reader does not know, or a capture header, as its JSON text
  std::string kind;
  std::string json;
};
struct Malformed {  // input that was skipped
  std::string why;
  std::uint64_t line = 0;  // NDJSON line number from 1, 0 for packed input
};

using Item = std::variant<Frame, Gap, Restart, Trigger, LogRecord, Bye, OtherLine, Malformed>;

}  // namespace mikroscope::proc
