#include "proc/sources/cpu_ids.h"

#include "base/text.h"

namespace mikroscope::proc {

bool CpuIds::add(std::uint64_t id) {
  if (count_ == kMaxCpus || id > UINT16_MAX) return false;
  id_[count_++] = static_cast<std::uint16_t>(id);
  return true;
}

bool CpuIds::parse_list(std::string_view text) {
  count_ = 0;
  base::Scanner s(base::trim(text));
  while (!s.done()) {
    std::uint64_t first = 0;
    if (!s.u64(first)) return fail();
    std::uint64_t last = first;
    if (s.consume('-') && (!s.u64(last) || last < first)) return fail();
    for (std::uint64_t id = first; id <= last; ++id) {
      if (!add(id)) return fail();
    }
    if (!s.consume(',') && !s.done()) return fail();
  }
  return count_ != 0;
}

bool CpuIds::parse_header(std::string_view line) {
  count_ = 0;
  base::Scanner s(line);
  for (s.skip_spaces(); !s.done(); s.skip_spaces()) {
    std::uint64_t id = 0;
    if (!s.consume("CPU") || !base::is_digit(s.peek()) || !s.u64(id) || !add(id)) return fail();
  }
  return count_ != 0;
}

}  // namespace mikroscope::proc
