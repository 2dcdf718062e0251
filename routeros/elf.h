// Which architecture an agent program was built for, from its ELF header.
#pragma once

#include <string_view>

#include "base/host/result.h"
#include "routeros/image.h"

namespace mikroscope::routeros {

// ARM programs are told apart by their calling convention: the ARMv5 agent is soft-float, the ARMv7 one
// hard-float. Error: no ELF program, one for another machine, or one that needs a dynamic loader (a scratch
// image has none).
base::Result<Arch> program_arch(std::string_view program);

}  // namespace mikroscope::routeros
