#include "plot/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "base/host/files.h"

namespace mikroscope::plot {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;

}  // namespace

base::Result<void> AppendFile::add(std::string_view line) {
  buffer_ += line;
  return buffer_.size() < kBuffer ? base::Result<void>() : flush(false);
}

base::Result<void> AppendFile::flush(bool sync) {
  std::size_t done = 0;
  int error_number = 0;
  while (done < buffer_.size()) {
    const ssize_t n =
        ::pwrite(fd_.get(), buffer_.data() + done, buffer_.size() - done, static_cast<off_t>(size_ + done));
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      error_number = n == 0 ? ENOSPC : errno;
      break;
    }
  }
  if (error_number != 0) {
    const std::size_t last = done == 0 ? std::string::npos : buffer_.rfind('\n', done - 1);
    done = last == std::string::npos ? 0 : last + 1;
    size_ += done;
    buffer_.clear();
    (void)!::ftruncate(fd_.get(), static_cast<off_t>(size_));
    return base::file_error("cannot write", path_, error_number);
  }
  size_ += done;
  buffer_.clear();
  if (!sync) return {};
  if (::fdatasync(fd_.get()) == 0 || errno == EINVAL || errno == ENOSYS) return {};
  return base::file_error("cannot write", path_, errno);
}

base::Result<std::string> sha256_of_file(const std::string& path) {
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return base::file_error("cannot read", path, errno);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return base::file_error("cannot read", path, errno);
    if (n == 0) break;
    EVP_DigestUpdate(context.get(), buffer.data(), static_cast<std::size_t>(n));
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

}  // namespace mikroscope::plot
