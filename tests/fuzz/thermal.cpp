#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("thermal", "sys/class/thermal/thermal_zone0/temp",
                       "sys/class/thermal/thermal_zone0/type", "sys/class/thermal/thermal_zone3/temp",
                       "sys/class/thermal/thermal_zone3/type",
                       "sys/class/thermal/thermal_zone0/trip_point_0_type",
                       "sys/class/thermal/thermal_zone0/trip_point_0_temp")
