// Files of a Router as SFTP and fetch write them.
#include <algorithm>

#include "tests/routersim/router.h"
#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

// Console setting sanitize-names (7.15): what is no plain character becomes '_'.
std::string sanitised(const State& state, const std::string& path) {
  std::string clean = state.files.clean(path);
  if (!state.at_least("7.15")) return clean;
  for (char& c : clean) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_' || c == '-' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
    if (!plain) c = '_';
  }
  return clean;
}

class FileUpload final : public Upload {
 public:
  FileUpload(std::recursive_mutex& lock, State& state, std::string path)
      : lock_(lock), state_(state), path_(std::move(path)) {}

  bool append(std::string_view bytes) override {
    const std::lock_guard hold(lock_);
    const Faults& faults = state_.faults;
    if (faults.upload_cut_at >= 0 &&
        contents_.size() + bytes.size() > static_cast<std::uint64_t>(faults.upload_cut_at)) {
      bytes = bytes.substr(0, static_cast<std::uint64_t>(faults.upload_cut_at) - contents_.size());
      cut_ = true;
    }
    const bool full = faults.disk_full_at >= 0 &&
                      contents_.size() + bytes.size() > static_cast<std::uint64_t>(faults.disk_full_at);
    if (full) bytes = bytes.substr(0, static_cast<std::uint64_t>(faults.disk_full_at) - contents_.size());
    contents_.append(bytes);
    return put() && !full && !cut_;
  }
  bool cut() const override { return cut_; }
  void commit() override {
    const std::lock_guard hold(lock_);
    put();
  }

  // False: the disk is full.
  bool put() { return state_.files.write(path_, contents_, state_.now(), state_.listing_lag()); }

 private:
  std::recursive_mutex& lock_;
  State& state_;
  std::string path_;
  std::string contents_;
  bool cut_ = false;
};

}  // namespace

std::unique_ptr<Upload> Router::upload(const std::string& path) {
  const std::lock_guard hold(lock_);
  auto upload = std::make_unique<FileUpload>(lock_, *state_, sanitised(*state_, path));
  if (!upload->put()) return nullptr;
  return upload;
}

std::optional<std::string> Router::read_file(const std::string& path) const {
  const std::lock_guard hold(lock_);
  const File* file = state_->files.find(path);
  if (file == nullptr || file->directory || file->disk) return std::nullopt;
  return file->contents;
}

bool Router::remove_file(const std::string& path) {
  const std::lock_guard hold(lock_);
  return state_->files.remove(path);
}

std::vector<std::string> Router::file_paths() const {
  const std::lock_guard hold(lock_);
  std::vector<std::string> paths;
  for (const auto& [path, file] : state_->files.all()) paths.push_back(file.directory ? path + "/" : path);
  return paths;
}

}  // namespace mikroscope::routersim
