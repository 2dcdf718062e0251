#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("psi", "proc/pressure/cpu", "proc/pressure/memory", "proc/pressure/io",
                       "proc/pressure/irq")
