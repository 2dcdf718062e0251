// Every table and source that exists. Each is defined in the .cpp of the same room; proc/registry.cpp lists them.
#pragma once

#include "proc/source.h"

namespace mikroscope::proc {

// A table's writer, found by its schema; unusable tables do not exist: every schema is in every layout.
TableWriter bind_table(Layout& layout, State& state, const Schema& schema);

template <class T>
Source* make_source(base::Arena& arena) {
  return arena.make<T>();
}

inline std::uint32_t rows_one(const Machine&) {
  return 1;
}
// One row for each CPU that this machine can ever have online.
inline std::uint32_t rows_per_cpu(const Machine& m) {
  return m.possible_cpus;
}

// stat.cpp
extern const Schema kCpuSchema;
extern const Schema kCpuTotalSchema;
extern const Schema kStatSchema;
extern const SourceDef kStatSource;
// loadavg.cpp (load is also fed by stat.cpp)
extern const Schema kLoadSchema;
extern const SourceDef kLoadavgSource;

}  // namespace mikroscope::proc
