#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("self", "proc/self/cgroup", "proc/self/statm", "sys/fs/cgroup/cpu.stat",
                       "sys/fs/cgroup/memory.current", "sys/fs/cgroup/memory.max",
                       "sys/fs/cgroup/memory.events")
