// The router's files: a flat map from path to contents, as /file lists it.
//
// Paths have no leading slash. A file is listed only after Timing::listing_lag, as on a router; reading it by
// path (container add, fetch) works at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mikroscope::routersim {

struct File {
  std::string contents;
  bool directory = false;
  bool disk = false;                // a mounted disk's slot
  std::int64_t listed_from_ms = 0;  // the clock's time from which /file shows it
  std::int64_t wall_s = 0;
  std::string id;
};

class Files {
 public:
  // Octets that are left; a write beyond it fails. Changed by faults and /disk.
  struct Space {
    std::uint64_t total = 0;
    std::uint64_t used = 0;
    bool tmpfs = false;
  };

  // Replaces; makes the missing directories. False: no room (what was there is gone then, as on a router).
  bool write(std::string_view path, std::string contents, std::int64_t now_ms, std::int64_t lag_ms);
  bool make_directory(std::string_view path, std::int64_t now_ms);
  // A directory goes with all below it. False: there is none.
  bool remove(std::string_view path);
  const File* find(std::string_view path) const;
  bool exists(std::string_view path) const { return find(path) != nullptr; }
  bool any_below(std::string_view directory) const;
  // The path of a listed id ("*A").
  std::optional<std::string> path_of(std::string_view id) const;
  const std::map<std::string, File, std::less<>>& all() const { return files_; }

  // The file system that a path lies on: a disk's slot, or "" for the internal one.
  std::string volume_of(std::string_view path) const;
  void add_volume(std::string slot, Space space, std::int64_t now_ms);
  void remove_volume(const std::string& slot);
  const Space* volume(const std::string& slot) const;
  Space* volume(const std::string& slot);
  // A reboot: what lies on a tmpfs, and outside flash/ where there is one, is gone.
  void lose_volatile(bool flash_directory);
  std::string clean(std::string_view path) const;  // without leading and trailing slashes

 private:
  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, Space> volumes_;
  std::uint64_t next_id_ = 1;
};

}  // namespace mikroscope::routersim
