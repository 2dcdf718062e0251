#include "tests/fuzz/source_fuzz.h"

MIKROSCOPE_FUZZ_SOURCE("conntrack", "proc/slabinfo", "proc/sys/net/netfilter/nf_conntrack_max")
