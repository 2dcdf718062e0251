#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("mtd", "sys/class/mtd/mtd0/name", "sys/class/mtd/mtd0/corrected_bits",
                       "sys/class/mtd/mtd0/ecc_failures", "sys/class/mtd/mtd0/bad_blocks")
