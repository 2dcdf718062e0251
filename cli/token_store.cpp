#include "cli/token_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/host/files.h"
#include "base/text.h"
#include "cli/config_file.h"

namespace mikroscope::cli {
namespace {

// Letters, digits, '.', '-' and '_' stay; anything else becomes %XX, so that no name leaves the directory or
// meets another one.
std::string file_part(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || base::is_digit(c) || c == '.' ||
                       c == '-' || c == '_';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

base::Result<void> check_private(const std::string& path, const std::string& what) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || (info.st_mode & 077) == 0) return {};
  return base::Error{fmt::format("{}: {} is open to others (mode {:04o})", what, path, info.st_mode & 07777),
                     "chmod 600 " + path, base::Exit::refused};
}

std::string first_line(const std::string& text) {
  return std::string(base::trim(std::string_view(text).substr(0, text.find('\n'))));
}

}  // namespace

TokenStore TokenStore::of_user() {
  const std::string state = state_directory();
  return TokenStore(state.empty() ? state : state + "/tokens");
}

std::string TokenStore::path(const std::string& host, const std::string& installation) const {
  // '+' stands in neither part. Names of hosts know no case, names of installations do.
  return fmt::format("{}/{}+{}", directory_, file_part(lower_case(host)), file_part(installation));
}

base::Result<std::optional<std::string>> TokenStore::find(const std::string& host,
                                                          const std::string& installation) const {
  const std::string file = path(host, installation);
  if (directory_.empty() || !base::exists(file)) return std::optional<std::string>();
  base::Result<void> good = check_private(file, "the agent's token");
  if (!good.ok()) return std::move(good).error();
  base::Result<std::string> text = base::read_text(file);
  if (!text.ok()) return std::move(text).error();
  std::string token = first_line(*text);
  if (token.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(token));
}

base::Result<void> TokenStore::keep(const std::string& host, const std::string& installation,
                                    const std::string& token) const {
  if (directory_.empty()) {
    return base::Error{"neither XDG_STATE_HOME nor HOME says where to keep the agent's token",
                       "export HOME=/path", base::Exit::failed};
  }
  base::Result<void> made = make_private_directory(directory_);
  if (!made.ok()) return made;
  return base::replace_file(path(host, installation), token + "\n", 0600);
}

base::Result<void> TokenStore::forget(const std::string& host, const std::string& installation) const {
  if (directory_.empty()) return {};
  const std::string file = path(host, installation);
  if (::unlink(file.c_str()) != 0 && errno != ENOENT) return base::file_error("cannot remove", file, errno);
  return {};
}

base::Result<std::string> read_secret_file(const std::string& path, const std::string& flag) {
  base::Result<void> good = check_private(path, flag);
  if (!good.ok()) return std::move(good).error();
  base::Result<std::string> text = base::read_text(path);
  if (!text.ok()) {
    base::Error error = std::move(text).error();
    error.what = flag + ": " + error.what;
    error.exit = base::Exit::usage;
    return error;
  }
  // Blanks may belong to a password.
  std::string line = text->substr(0, text->find_first_of("\r\n"));
  if (line.empty())
    return base::Error{fmt::format("{}: the first line of {} is empty", flag, path), "", base::Exit::usage};
  return line;
}

}  // namespace mikroscope::cli
