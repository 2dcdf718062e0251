#include "routeros/session/known_routers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <vector>

#include "base/file.h"
#include "base/host/files.h"
#include "base/text.h"

namespace mikroscope::routeros {
namespace {

std::string_view kind_name(KeyKind kind) {
  return kind == KeyKind::tls ? "tls" : "ssh";
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return out;
}

struct Entry {
  std::string whose;  // "tls HOST PORT"; empty: a comment or a blank line
  std::string fingerprint;
  std::string line;
};

std::string whose(KeyKind kind, const std::string& host, int port) {
  return fmt::format("{} {} {}", kind_name(kind), lower(host), port);
}

std::optional<Entry> parse(std::string_view line) {
  Entry entry{"", "", std::string(line)};
  base::Scanner s(line);
  const std::string_view kind = s.word();
  if (kind.empty() || kind.front() == '#') return entry;
  const std::string_view host = s.word();
  const std::string_view port = s.word();
  const std::string_view fingerprint = s.word();
  std::uint64_t number = 0;
  if ((kind != "tls" && kind != "ssh") || fingerprint.empty() || !s.word().empty() ||
      !base::parse_u64(port, number) || number == 0 || number > 65535)
    return std::nullopt;
  entry.whose = fmt::format("{} {} {}", kind, lower(host), number);
  entry.fingerprint = fingerprint;
  return entry;
}

base::Result<std::vector<Entry>> read(const std::string& path) {
  std::vector<Entry> entries;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 && errno == ENOENT) return entries;
  base::Result<std::string> text = base::read_text(path);
  if (!text.ok()) return std::move(text).error();
  if ((info.st_mode & 022U) != 0) {
    return base::Error{fmt::format("{} can be written by others, so it says nothing about routers", path),
                       fmt::format("look through it, then `chmod 600 {}`", path), base::Exit::refused};
  }
  base::Scanner lines(*text);
  for (int number = 1; !lines.done(); ++number) {
    std::optional<Entry> entry = parse(lines.line());
    if (!entry) {
      return base::Error{fmt::format("{}:{} is no line \"tls|ssh HOST PORT FINGERPRINT\"", path, number),
                         "correct or remove that line", base::Exit::refused};
    }
    entries.push_back(std::move(*entry));
  }
  return entries;
}

// All that is missing of a directory, for nobody else.
base::Result<void> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno == ENOENT) {
    if (base::Result<void> above = make_directory(base::directory_of(path)); !above.ok()) return above;
    if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  }
  return base::file_error("cannot make", path, errno);
}

}  // namespace

base::Result<std::optional<std::string>> KnownRouters::lookup(KeyKind kind, const std::string& host,
                                                              int port) const {
  base::Result<std::vector<Entry>> entries = read(path_);
  if (!entries.ok()) return std::move(entries).error();
  const std::string wanted = whose(kind, host, port);
  for (const Entry& entry : *entries) {
    if (entry.whose == wanted) return std::optional(entry.fingerprint);
  }
  return std::optional<std::string>();
}

base::Result<void> KnownRouters::remember(KeyKind kind, const std::string& host, int port,
                                          const std::string& fingerprint) {
  const std::string directory = base::directory_of(path_);
  if (base::Result<void> made = make_directory(directory); !made.ok()) return made;
  // Two verbs may meet a new router at once.
  const base::Fd lock(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) return base::file_error("cannot lock", directory, errno);
  const base::Result<std::vector<Entry>> entries = read(path_);
  if (!entries.ok()) return entries.error();
  const std::string wanted = whose(kind, host, port);
  std::string text;
  for (const Entry& entry : *entries) {
    if (entry.whose != wanted) text += entry.line + "\n";
  }
  text += wanted + " " + fingerprint + "\n";
  return base::replace_file(path_, text, 0600);
}

base::Result<Trust> check_trust(TrustStore& store, const SeenKey& key, bool accept_new) {
  const base::Result<std::optional<std::string>> known = store.lookup(key.kind, key.host, key.port);
  if (!known.ok()) return known.error();
  if (*known == key.fingerprint) return Trust::known;
  if (*known && !accept_new) {
    return base::Error{
        fmt::format("the {} of {} port {} has changed: it was {}, now it is {}",
                    key.kind == KeyKind::tls ? "TLS certificate" : "SSH host key", key.host, key.port,
                    **known, key.fingerprint),
        fmt::format(
            "if the router was reset or given a new key, accept it with `mikroscope doctor --router {} "
            "--accept-new-key`; otherwise somebody may sit between this machine and the router",
            key.router),
        base::Exit::refused};
  }
  if (const base::Result<void> done = store.remember(key.kind, key.host, key.port, key.fingerprint);
      !done.ok())
    return done.error();
  return *known ? Trust::replaced : Trust::first_use;
}

}  // namespace mikroscope::routeros
