#include "cli/forward/host_name.h"

#include <unistd.h>

namespace mikroscope::cli {

std::string host_name(const std::string& otherwise) {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : otherwise;
}

}  // namespace mikroscope::cli
