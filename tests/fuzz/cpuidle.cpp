#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("cpuidle", "sys/devices/system/cpu/cpu0/cpuidle/state0/name",
                       "sys/devices/system/cpu/cpu0/cpuidle/state0/time",
                       "sys/devices/system/cpu/cpu0/cpuidle/state0/usage",
                       "sys/devices/system/cpu/cpu0/cpuidle/state1/name",
                       "sys/devices/system/cpu/cpu0/cpuidle/state1/time")
