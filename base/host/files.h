// Files of the workstation side. Errors name the path and say what the system said.
#pragma once

#include <string>
#include <string_view>

#include "base/file.h"
#include "base/host/result.h"

namespace mikroscope::base {

// "X: No such file or directory" as an Error, from errno.
Error file_error(std::string_view doing, std::string_view path, int error_number);

Result<std::string> read_text(const std::string& path);
// All bytes or an error; retries short writes and EINTR.
Result<void> write_all(int fd, std::string_view bytes, std::string_view path);
// Writes beside `path`, syncs, and renames over it: a reader sees the old file or the new one, whole.
Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode = 0644);

bool exists(const std::string& path);
// The directory part of `path` ("." when it has none).
std::string directory_of(const std::string& path);
// Makes a rename in the directory of `path` durable; a file system that cannot is no error.
void sync_directory_of(const std::string& path);

}  // namespace mikroscope::base
