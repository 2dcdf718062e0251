#include "proc/kernel_path.h"

#include <cstdarg>
#include <cstring>

#include "base/text.h"

namespace mikroscope::proc {

void KernelPath::make(std::string_view root, const char* format, ...) {
  while (root.size() > 1 && root.back() == '/') root.remove_suffix(1);
  base::Writer out(text_, sizeof text_ - 1);
  out.put(root);
  out.put('/');
  std::va_list args;
  va_start(args, format);
  out.print_args(format, args);
  va_end(args);
  text_[out.overflow() ? 0 : out.size()] = '\0';
}

std::string_view KernelPath::view() const {
  return {text_, std::strlen(text_)};
}

bool read_once(const KernelPath& path, base::ReadBuffer buffer, std::string_view& text) {
  const base::ReadResult got = base::read_path(path.c_str(), buffer);
  text = got.text;
  return got.error == base::ReadError::none;
}

bool read_once_i64(const KernelPath& path, base::ReadBuffer buffer, std::int64_t& out) {
  std::string_view text;
  return read_once(path, buffer, text) && base::parse_i64(text, out);
}

}  // namespace mikroscope::proc
