// Paths of kernel files that are put together from pieces, and files that are read once and not kept open.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/format.h"
#include "proc/source.h"

namespace mikroscope::proc {

// KernelPath(roots.sys, "class/thermal/thermal_zone%u/temp", number): the root, "/", and what
// base::Writer::print() makes of the rest. A path that is longer than kMaxPath - 1 is empty, and opens
// nothing.
class KernelPath {
 public:
  template <class... Args>
  [[gnu::always_inline]] KernelPath(std::string_view root, base::Format<std::type_identity_t<Args>...> format,
                                    const Args&... args) {
    make(root, format.text, base::printed(args)...);
  }
  const char* c_str() const { return text_; }
  std::string_view view() const;

 private:
  void make(std::string_view root, const char* format, ...);
  char text_[kMaxPath];
};

// The whole text of a file, in `buffer`.
bool read_once(const KernelPath& path, base::ReadBuffer buffer, std::string_view& text);
// The whole text as one number.
bool read_once_i64(const KernelPath& path, base::ReadBuffer buffer, std::int64_t& out);

}  // namespace mikroscope::proc
