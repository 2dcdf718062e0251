#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("cpufreq", "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq",
                       "sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq",
                       "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor")
