#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("softnet", "proc/net/softnet_stat", "sys/devices/system/cpu/online")
