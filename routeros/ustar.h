// The plainest tar: ustar, regular files only, every time stamp and owner zero, so that the same members give
// the same bytes. (POSIX.1-1988 "ustar" interchange format.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"

namespace mikroscope::routeros {

constexpr std::size_t kTarBlock = 512;

// Appends one regular file. `name` is at most 100 bytes.
void append_tar_file(std::string& tar, std::string_view name, unsigned mode, std::string_view content);
// The two zero blocks that end a tar. Nothing is padded to a record of 20 blocks.
void end_tar(std::string& tar);

struct TarMember {
  std::string name;
  unsigned mode = 0;
  char type = '0';           // '0' regular file, '5' directory, …
  std::string_view content;  // a view into the tar that was read
};

// All members, in order. Error: a header whose checksum is wrong, a member that is cut, compressed input.
base::Result<std::vector<TarMember>> read_tar(std::string_view tar);

}  // namespace mikroscope::routeros
