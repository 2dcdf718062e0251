#include "tests/routersim/ssh/sftp_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace mikroscope::routersim {
namespace {

// Numbers of the protocol.
enum : std::uint8_t {
  kInit = 1,
  kVersion = 2,
  kOpen = 3,
  kClose = 4,
  kRead = 5,
  kWrite = 6,
  kLstat = 7,
  kFstat = 8,
  kSetstat = 9,
  kFsetstat = 10,
  kOpendir = 11,
  kReaddir = 12,
  kRemove = 13,
  kMkdir = 14,
  kRmdir = 15,
  kRealpath = 16,
  kStat = 17,
  kStatus = 101,
  kHandle = 102,
  kData = 103,
  kName = 104,
  kAttrs = 105,
};
constexpr std::uint32_t kOk = 0, kEof = 1, kNoSuchFile = 2, kPermissionDenied = 3, kFailure = 4,
                        kUnsupported = 8;
constexpr std::uint32_t kMostPacket = 256 << 10;

void put32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
}
void put_text(std::string& out, std::string_view text) {
  put32(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}
std::string framed(std::uint8_t type, std::uint32_t id, std::string_view rest) {
  std::string out;
  put32(out, static_cast<std::uint32_t>(rest.size() + 5));
  out += static_cast<char>(type);
  put32(out, id);
  out += rest;
  return out;
}
std::string status(std::uint32_t id, std::uint32_t code, std::string_view text = "") {
  std::string body;
  put32(body, code);
  put_text(body, text);
  put_text(body, "");
  return framed(kStatus, id, body);
}
// size and permissions
std::string attrs(bool directory, std::uint64_t size) {
  std::string out;
  put32(out, 0x5);
  put32(out, static_cast<std::uint32_t>(size >> 32));
  put32(out, static_cast<std::uint32_t>(size));
  put32(out, directory ? 0040755 : 0100644);
  return out;
}

struct Reader {
  std::string_view rest;
  bool good = true;

  std::uint64_t number(std::size_t octets) {
    if (rest.size() < octets) {
      good = false;
      rest = {};
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < octets; ++i) value = value << 8 | static_cast<unsigned char>(rest[i]);
    rest.remove_prefix(octets);
    return value;
  }
  std::uint32_t number32() { return static_cast<std::uint32_t>(number(4)); }
  std::string text() {
    const std::uint32_t size = number32();
    if (size > rest.size()) good = false;
    if (!good) return {};
    std::string out(rest.substr(0, size));
    rest.remove_prefix(size);
    return out;
  }
};

// Without slashes at the ends, and without "." parts.
std::string clean(const std::string& path) {
  std::string out;
  std::size_t from = 0;
  while (from < path.size()) {
    const std::size_t end = std::min(path.find('/', from), path.size());
    const std::string part = path.substr(from, end - from);
    from = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      out.resize(out.rfind('/') == std::string::npos ? 0 : out.rfind('/'));
      continue;
    }
    out += (out.empty() ? "" : "/") + part;
  }
  return out;
}

}  // namespace

bool SftpServer::serve(std::string& in, std::string& out) {
  while (in.size() >= 4) {
    Reader head{in};
    const std::uint32_t size = head.number32();
    if (size < 1 || size > kMostPacket) return false;
    if (in.size() - 4 < size) return true;
    const std::string body = in.substr(4, size);
    in.erase(0, std::size_t{4} + size);
    if (!packet(body, out)) return false;
  }
  return true;
}

bool SftpServer::packet(std::string_view body, std::string& out) {
  Reader in{body};
  const auto type = static_cast<std::uint8_t>(in.number(1));
  const std::uint32_t id = in.number32();
  if (!in.good) return false;
  if (type == kInit) {
    out += framed(kVersion, 3, "");
    return true;
  }
  const std::string name = in.text();
  if (!in.good) return false;
  switch (type) {
    case kOpen:
      out += open(id, name, in.number32());
      return in.good;
    case kClose:
      out += close(id, name);
      return true;
    case kRead: {
      const std::uint64_t offset = in.number(8);
      out += read(id, name, offset, in.number32());
      return in.good;
    }
    case kWrite: {
      const std::uint64_t offset = in.number(8);
      const std::string bytes = in.text();
      return in.good && write(id, name, offset, bytes, out);
    }
    case kLstat:
    case kStat:
      out += attributes(id, name);
      return true;
    case kFstat:
      out += handles_.contains(name) ? attributes(id, handles_[name].path) : status(id, kFailure);
      return true;
    case kSetstat:
    case kFsetstat:
      out += status(id, kOk);
      return true;
    case kOpendir:
      out += open_directory(id, name);
      return true;
    case kReaddir:
      out += read_directory(id, name);
      return true;
    case kRemove:
    case kRmdir:
      out += remove(id, name);
      return true;
    case kRealpath: {
      std::string rest;
      put32(rest, 1);
      put_text(rest, "/" + clean(name));
      put_text(rest, "/" + clean(name));
      put32(rest, 0);
      out += framed(kName, id, rest);
      return true;
    }
    default:
      out += status(id, kUnsupported, "not supported");
      return true;
  }
}

std::optional<SftpServer::Entry> SftpServer::find(const std::string& path) const {
  const std::string wanted = clean(path);
  if (wanted.empty()) return Entry{true, 0};
  if (const auto contents = router_.read_file(wanted)) return Entry{false, contents->size()};
  for (const std::string& known : router_.file_paths()) {
    if (known.starts_with(wanted + "/")) return Entry{true, 0};
  }
  // a disk's slot
  const auto paths = router_.file_paths();
  if (std::find(paths.begin(), paths.end(), wanted) != paths.end()) return Entry{true, 0};
  return std::nullopt;
}

std::string SftpServer::keep(std::uint32_t id, Handle handle) {
  const std::string name = std::to_string(next_handle_++);
  handles_.emplace(name, std::move(handle));
  std::string rest;
  put_text(rest, name);
  return framed(kHandle, id, rest);
}

std::string SftpServer::open(std::uint32_t id, const std::string& path, std::uint32_t flags) {
  Handle handle;
  handle.path = clean(path);
  constexpr std::uint32_t kForWriting = 0x2;
  if ((flags & kForWriting) == 0) {
    const auto contents = router_.read_file(handle.path);
    if (!contents) return status(id, kNoSuchFile, "no such file");
    handle.contents = *contents;
    return keep(id, std::move(handle));
  }
  if (!router_.may_upload(user_)) return status(id, kPermissionDenied, "permission denied");
  const std::size_t slash = handle.path.rfind('/');
  if (slash != std::string::npos && !find(handle.path.substr(0, slash)))
    return status(id, kNoSuchFile, "no such directory");
  const auto there = find(handle.path);
  if (there && there->directory) return status(id, kFailure, "is a directory");
  handle.upload = router_.upload(handle.path);
  if (handle.upload == nullptr) return status(id, kFailure, "no space");
  return keep(id, std::move(handle));
}

bool SftpServer::write(std::uint32_t id, const std::string& handle, std::uint64_t offset,
                       const std::string& bytes, std::string& out) {
  const auto found = handles_.find(handle);
  if (found == handles_.end() || found->second.upload == nullptr) {
    out += status(id, kFailure, "not open for writing");
    return true;
  }
  // The router takes what comes in order; clients that pipeline send in order too.
  Handle& file = found->second;
  if (offset != file.contents.size()) {
    out += status(id, kFailure, "out of order");
    return true;
  }
  file.contents.append(bytes.size(), '\0');  // only its size counts here
  const bool taken = file.upload->append(bytes);
  if (file.upload->cut()) return false;
  out += taken ? status(id, kOk) : status(id, kFailure, "write failed");
  return true;
}

std::string SftpServer::read(std::uint32_t id, const std::string& handle, std::uint64_t offset,
                             std::uint32_t size) {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return status(id, kFailure, "no such handle");
  const std::string& contents = found->second.contents;
  if (offset >= contents.size()) return status(id, kEof, "end of file");
  std::string rest;
  put_text(rest, std::string_view(contents).substr(offset, std::min<std::uint32_t>(size, 32768)));
  return framed(kData, id, rest);
}

std::string SftpServer::close(std::uint32_t id, const std::string& handle) {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return status(id, kFailure, "no such handle");
  if (found->second.upload != nullptr) found->second.upload->commit();
  handles_.erase(found);
  return status(id, kOk);
}

std::string SftpServer::open_directory(std::uint32_t id, const std::string& path) {
  const auto there = find(path);
  if (!there || !there->directory) return status(id, kNoSuchFile, "no such directory");
  Handle handle;
  handle.path = clean(path);
  const std::string above = handle.path.empty() ? "" : handle.path + "/";
  std::set<std::string> names;
  for (const std::string& known : router_.file_paths()) {
    if (!known.starts_with(above) || known.size() == above.size()) continue;
    names.insert(known.substr(above.size(), known.find('/', above.size()) - above.size()));
  }
  handle.listing.assign(names.rbegin(), names.rend());
  return keep(id, std::move(handle));
}

std::string SftpServer::read_directory(std::uint32_t id, const std::string& handle) {
  const auto found = handles_.find(handle);
  if (found == handles_.end()) return status(id, kFailure, "no such handle");
  Handle& directory = found->second;
  if (directory.told && directory.listing.empty()) return status(id, kEof, "end of directory");
  std::string names;
  std::uint32_t count = 0;
  const auto tell = [&](const std::string& name, const Entry& entry) {
    put_text(names, name);
    put_text(names, fmt::format("{}    1 router   router   {:>10} Jan  1  1970 {}",
                                entry.directory ? "drwxr-xr-x" : "-rw-r--r--", entry.size, name));
    names += attrs(entry.directory, entry.size);
    ++count;
  };
  if (!std::exchange(directory.told, true)) {
    tell(".", {true, 0});
    tell("..", {true, 0});
  }
  while (!directory.listing.empty() && count < 50) {
    const std::string name = directory.listing.back();
    directory.listing.pop_back();
    tell(name, find(directory.path.empty() ? name : directory.path + "/" + name).value_or(Entry{}));
  }
  std::string rest;
  put32(rest, count);
  return framed(kName, id, rest + names);
}

std::string SftpServer::remove(std::uint32_t id, const std::string& path) {
  if (!router_.may_upload(user_)) return status(id, kPermissionDenied, "permission denied");
  return router_.remove_file(clean(path)) ? status(id, kOk) : status(id, kNoSuchFile, "no such file");
}

std::string SftpServer::attributes(std::uint32_t id, const std::string& path) {
  const auto found = find(path);
  if (!found) return status(id, kNoSuchFile, "no such file");
  return framed(kAttrs, id, attrs(found->directory, found->size));
}

}  // namespace mikroscope::routersim
