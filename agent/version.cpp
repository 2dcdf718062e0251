#include "agent/machine.h"

#ifndef MIKROSCOPE_VERSION
#define MIKROSCOPE_VERSION "0-unversioned"
#endif

namespace mikroscope::agent {

const std::string_view kVersion = MIKROSCOPE_VERSION;

}  // namespace mikroscope::agent
