#include "routeros/deploy/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/host/files.h"
#include "base/text.h"

namespace mikroscope::routeros {
namespace {

using Json = nlohmann::json;

std::string member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

base::Result<Journal> Journal::open(const std::string& path) {
  Journal out;
  out.path_ = path;
  if (base::exists(path)) {
    const base::Result<std::string> text = base::read_text(path);
    if (!text.ok()) return text.error();
    base::Scanner scanner(*text);
    while (!scanner.done()) {
      // A last line that was cut short is an entry that was not begun.
      const Json object = Json::parse(scanner.line(), nullptr, false);
      if (!object.is_object()) continue;
      out.keep(
          {member(object, "step"), member(object, "menu"), member(object, "id"), member(object, "file")});
    }
  }
  out.fd_ = base::Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!out.fd_) return base::file_error("write", path, errno);
  return out;
}

void Journal::keep(const JournalEntry& entry) {
  const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const JournalEntry& e) {
    return e.step == entry.step && e.menu == entry.menu && e.id.empty();
  });
  if (known != entries_.end()) {
    *known = entry;
  } else {
    entries_.push_back(entry);
  }
}

base::Result<void> Journal::append(const JournalEntry& entry) {
  if (!fd_) return {};
  const Json object{{"step", entry.step}, {"menu", entry.menu}, {"id", entry.id}, {"file", entry.file}};
  base::Result<void> written =
      base::write_all(fd_.get(), object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", path_);
  if (written.ok()) ::fsync(fd_.get());
  return written;
}

base::Result<void> Journal::begin(const JournalEntry& entry) {
  keep(entry);
  return append(entry);
}

base::Result<void> Journal::done(const JournalEntry& entry) {
  keep(entry);
  return append(entry);
}

void Journal::close() {
  entries_.clear();
  if (!path_.empty()) ::unlink(path_.c_str());
  fd_ = base::Fd();
  path_.clear();
}

}  // namespace mikroscope::routeros
