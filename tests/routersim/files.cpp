#include "tests/routersim/files.h"

#include <fmt/format.h>

#include <chrono>

namespace mikroscope::routersim {
namespace {

std::int64_t wall_now() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(wall).count();
}

}  // namespace

std::string Files::clean(std::string_view path) const {
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return std::string(path);
}

std::string Files::volume_of(std::string_view path) const {
  const std::string whole = clean(path);
  const std::string first = whole.substr(0, whole.find('/'));
  return volumes_.contains(first) ? first : std::string();
}

bool Files::make_directory(std::string_view path, std::int64_t now_ms) {
  const std::string whole = clean(path);
  for (std::size_t at = whole.find('/'); !whole.empty(); at = whole.find('/', at + 1)) {
    const std::string part = whole.substr(0, at);
    auto [it, added] = files_.try_emplace(part);
    if (added) {
      it->second.directory = true;
      it->second.listed_from_ms = now_ms;
      it->second.wall_s = wall_now();
      it->second.id = fmt::format("*{:X}", next_id_++);
    } else if (!it->second.directory && !it->second.disk) {
      return false;
    }
    if (at == std::string::npos) break;
  }
  return true;
}

bool Files::write(std::string_view path, std::string contents, std::int64_t now_ms, std::int64_t lag_ms) {
  const std::string whole = clean(path);
  if (whole.empty()) return false;
  const std::size_t slash = whole.rfind('/');
  if (slash != std::string::npos && !make_directory(whole.substr(0, slash), now_ms)) return false;
  const auto old = files_.find(whole);
  if (old != files_.end() && (old->second.directory || old->second.disk)) return false;
  Space& space = volumes_[volume_of(whole)];
  if (old != files_.end()) {
    space.used -= old->second.contents.size();
    old->second.contents.clear();
  }
  if (space.used + contents.size() > space.total) return false;
  space.used += contents.size();
  File& file = files_[whole];
  if (file.id.empty()) {
    file.id = fmt::format("*{:X}", next_id_++);
    file.listed_from_ms = now_ms + lag_ms;
  }
  file.contents = std::move(contents);
  file.wall_s = wall_now();
  return true;
}

bool Files::remove(std::string_view path) {
  const std::string whole = clean(path);
  const auto found = files_.find(whole);
  if (found == files_.end() || found->second.disk) return false;
  const std::string below = whole + "/";
  for (auto it = files_.begin(); it != files_.end();) {
    if (it->first == whole || it->first.compare(0, below.size(), below) == 0) {
      volumes_[volume_of(it->first)].used -= it->second.contents.size();
      it = files_.erase(it);
    } else {
      ++it;
    }
  }
  return true;
}

const File* Files::find(std::string_view path) const {
  const auto found = files_.find(clean(path));
  return found == files_.end() ? nullptr : &found->second;
}

bool Files::any_below(std::string_view directory) const {
  const std::string below = clean(directory) + "/";
  const auto it = files_.lower_bound(below);
  return it != files_.end() && it->first.compare(0, below.size(), below) == 0;
}

std::optional<std::string> Files::path_of(std::string_view id) const {
  for (const auto& [path, file] : files_) {
    if (file.id == id) return path;
  }
  return std::nullopt;
}

void Files::add_volume(std::string slot, Space space, std::int64_t now_ms) {
  if (!slot.empty()) {
    make_directory(slot, now_ms);
    files_[slot].disk = true;
    files_[slot].directory = false;
  }
  volumes_[std::move(slot)] = space;
}

void Files::remove_volume(const std::string& slot) {
  const auto found = files_.find(slot);
  if (slot.empty() || found == files_.end()) return;
  found->second.disk = false;
  found->second.directory = true;
  remove(slot);
  volumes_.erase(slot);
}

const Files::Space* Files::volume(const std::string& slot) const {
  const auto found = volumes_.find(slot);
  return found == volumes_.end() ? nullptr : &found->second;
}

Files::Space* Files::volume(const std::string& slot) {
  const auto found = volumes_.find(slot);
  return found == volumes_.end() ? nullptr : &found->second;
}

void Files::lose_volatile(bool flash_directory) {
  for (auto it = files_.begin(); it != files_.end();) {
    const std::string slot = volume_of(it->first);
    const bool kept_by_flash = it->first == "flash" || it->first.compare(0, 6, "flash/") == 0;
    const bool lost =
        !it->second.disk && (slot.empty() ? flash_directory && !kept_by_flash : volumes_[slot].tmpfs);
    if (lost) {
      volumes_[slot].used -= it->second.contents.size();
      it = files_.erase(it);
    } else {
      ++it;
    }
  }
}

}  // namespace mikroscope::routersim
