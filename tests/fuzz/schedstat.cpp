#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("schedstat", "proc/schedstat")
