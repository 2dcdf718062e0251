#include "proc/sources/small_file.h"

#include "base/clock.h"
#include "base/text.h"

namespace mikroscope::proc {

bool SmallFile::open_unread(const KernelPath& path) {
  fd_ = base::open_read(path.c_str());
  return static_cast<bool>(fd_);
}

bool SmallFile::read(base::ReadBuffer buffer, std::string_view& text) {
  if (!fd_) return false;
  const base::ReadResult got = base::read_whole(fd_.get(), buffer, base::kSingleRecord);
  if (got.error == base::ReadError::failed && is_gone(got.error_number)) fd_.reset();
  text = got.text;
  return got.error == base::ReadError::none;
}

bool SmallFile::read_u64(base::ReadBuffer buffer, std::uint64_t& out) {
  std::string_view text;
  return read(buffer, text) && base::parse_u64(text, out);
}

bool SmallFile::read_i64(base::ReadBuffer buffer, std::int64_t& out) {
  std::string_view text;
  return read(buffer, text) && base::parse_i64(text, out);
}

bool EveryMinute::due(std::int64_t now_boot_ns) {
  if (started_ && now_boot_ns < next_) return false;
  const bool due = started_;
  started_ = true;
  next_ = now_boot_ns + 60 * base::kNsPerSecond;
  return due;
}

}  // namespace mikroscope::proc
