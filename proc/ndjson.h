// NDJSON lines for people and files. The agent renders them on demand from decoded frames; the recorder
// writes the same lines, so a recording and a `curl` look alike. docs/wire.md describes the line kinds.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "proc/delta.h"

namespace mikroscope::proc {

// {"seq":…,"boot_ns":…,"wall_ns":…,"dt_ns":…,"<table>":…,…} and '\n'.
//  - a keyless table is an object, a keyed one an array of objects headed by its key columns (without label
//  keys);
//  - counters are this tick's differences, gauges levels; with `totals`, counters are the kernel's running
//  totals;
//  - a table, row or cell that was not read is left out; no value is ever invented;
//  - "intervals":{"<table>":ns} lists tables with counters whose differences cover another span than dt_ns;
//  - "odd":[{"table":…,<keys>,"column":…,"kind":"reset"|"backward"|"wrap"}] lists what the delta engine
//  decided.
// False: it did not fit, and `out` is as before.
bool write_sample(const FrameView& frame, bool totals, base::Writer& out);

// {"names":{"<table>":[{<all keys>},…],…}} and '\n' for rows with first_seq > since of tables that have label
// keys. Writes nothing when there are none. False: it did not fit.
bool write_names(const Layout& layout, std::uint64_t since, base::Writer& out);

// {"gap":{"from":F,"to":T}} and '\n': frames F..T are no longer held.
bool write_gap(std::uint64_t from, std::uint64_t to, base::Writer& out);

}  // namespace mikroscope::proc
