#include "fake_machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace mikroscope::proc::test {
namespace fs = std::filesystem;
namespace {

// Sources are never destroyed, as in the agent; a test process that makes many would run out of descriptors.
void close_descriptors_below(std::initializer_list<std::string_view> roots) {
  std::vector<int> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = fs::read_symlink(entry.path(), error).string();
    const bool ours = std::any_of(roots.begin(), roots.end(), [&](std::string_view root) {
      return !root.empty() && target.compare(0, root.size(), root) == 0;
    });
    if (!error && ours) found.push_back(std::stoi(entry.path().filename()));
  }
  for (const int fd : found) close(fd);
}

}  // namespace

FakeTree::FakeTree() {
  std::string pattern = (fs::temp_directory_path() / "mikroscope-tree-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << pattern;
  root_ = pattern;
  for (const char* top : {"proc", "sys", "dev"}) fs::create_directory(fs::path(root_) / top);
}

FakeTree::~FakeTree() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void FakeTree::write(const std::string& path, std::string_view text) const {
  const fs::path full = fs::path(root_) / path;
  fs::create_directories(full.parent_path());
  std::ofstream(full, std::ios::binary | std::ios::trunc) << text;
}

void FakeTree::append(const std::string& path, std::string_view text) const {
  std::ofstream(fs::path(root_) / path, std::ios::binary | std::ios::app) << text;
}

void FakeTree::remove(const std::string& path) const {
  fs::remove_all(fs::path(root_) / path);
}

void FakeTree::copy_captured(const std::string& name) const {
  fs::copy(fs::path(MIKROSCOPE_TEST_DATA) / "trees" / name, root_,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

FakeSampler::FakeSampler(const Roots& roots, std::initializer_list<std::string_view> only,
                         std::uint32_t possible_cpus)
    : roots_(roots),
      arena_bytes_(std::size_t{512} << 20),
      memory_(base::map_pages(arena_bytes_)),
      arena_(memory_, arena_bytes_),
      texts_(arena_, 4096, 1 << 18),
      buffer_(std::size_t{4} << 20),
      packed_(std::size_t{16} << 20) {
  std::vector<const Schema*> schemas;
  std::vector<std::uint32_t> capacities;
  for (const TableDef& def : all_tables()) {
    schemas.push_back(def.schema);
    capacities.push_back(def.capacity({possible_cpus}));
  }
  layout_ = make_layout(arena_, schemas, capacities, &texts_);
  state_ = make_state(arena_, layout_);
  track_ = make_track(arena_, layout_);
  for (const SourceDef* def : all_sources()) {
    const bool wanted = only.size() == 0 || std::find(only.begin(), only.end(), def->name) != only.end();
    if (wanted) sources_.push_back({def, def->make(arena_), false});
  }
  for (Running& running : sources_) open(running);
}

FakeSampler::~FakeSampler() {
  close_descriptors_below({roots_.proc, roots_.sys, roots_.kmsg});
  base::unmap_pages(memory_, arena_bytes_);
}

void FakeSampler::open(Running& running) {
  const ReadStatus status = running.source->open(roots_, arena_, buffer());
  opened_[std::string(running.def->name)] = status;
  if (status == ReadStatus::ok && !running.bound) {
    running.source->bind(layout_, state_);
    running.bound = true;
  }
}

void FakeSampler::reopen() {
  for (Running& running : sources_) {
    const std::string name(running.def->name);
    if (opened_[name] != ReadStatus::ok || status_[name] == ReadStatus::absent) open(running);
  }
}

void FakeSampler::tick(std::int64_t step_ns, bool until_zero) {
  if (seq_ == 1) {
    prime(layout_, state_, track_);
  } else if (seq_ > 1) {
    ByteWriter out(packed_.data(), packed_.size());
    write_frame(out, layout_, state_, track_);
    EXPECT_FALSE(out.overflow());
  }
  boot_ns_ += step_ns;
  begin_tick(layout_, state_, {++seq_, boot_ns_, boot_ns_, step_ns});
  Tick tick{layout_, state_, buffer(), this, until_zero, boot_ns_};
  for (Running& running : sources_) {
    const std::string name(running.def->name);
    if (opened_[name] == ReadStatus::ok) status_[name] = running.source->read(tick);
  }
  grow(layout_, track_);
}

int FakeSampler::find_row(std::uint32_t table, const Keys& keys) const {
  const Table& t = layout_.tables[table];
  if (keys.size() != t.schema->keys.size()) return -1;
  for (std::uint32_t row = 0; row < t.rows; ++row) {
    bool same = true;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const KeyPart part = t.keys[row].part[k];
      same = same && (t.schema->keys[k].text ? texts_[part] == keys[k] : std::to_string(part) == keys[k]);
    }
    if (same) return static_cast<int>(row);
  }
  return -1;
}

std::optional<std::int64_t> FakeSampler::cell(std::string_view table, const Keys& keys,
                                              std::string_view column) const {
  const int index = layout_.find(table);
  if (index < 0) {
    ADD_FAILURE() << "no table " << table;
    return std::nullopt;
  }
  const Table& t = layout_.tables[index];
  const int c = t.schema->column(column);
  if (c < 0) ADD_FAILURE() << table << " has no column " << column;
  const int row = find_row(static_cast<std::uint32_t>(index), keys);
  if (c < 0 || row < 0) return std::nullopt;
  const std::uint32_t slot = t.slot(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(c));
  if (state_.present[slot] == 0) return std::nullopt;
  EXPECT_TRUE(state_.has_table(static_cast<std::uint32_t>(index))) << table;
  return static_cast<std::int64_t>(state_.values[slot]);
}

Delta FakeSampler::delta(std::string_view table, const Keys& keys, std::string_view column) const {
  const int index = layout_.find(table);
  if (index < 0) return {};
  const int row = find_row(static_cast<std::uint32_t>(index), keys);
  const int c = layout_.tables[index].schema->column(column);
  if (row < 0 || c < 0) return {};
  return frame().delta(static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(row),
                       static_cast<std::uint32_t>(c));
}

std::size_t FakeSampler::rows(std::string_view table) const {
  const Table& t = layout_.tables[layout_.find(table)];
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < t.rows; ++row) {
    bool any = false;
    for (std::uint32_t c = 0; c < t.columns(); ++c) any = any || state_.present[t.slot(row, c)] != 0;
    count += any ? 1 : 0;
  }
  return count;
}

std::size_t FakeSampler::rows_ever(std::string_view table) const {
  return layout_.tables[layout_.find(table)].rows;
}

bool FakeSampler::has_table(std::string_view table) const {
  return state_.has_table(static_cast<std::uint32_t>(layout_.find(table)));
}

std::vector<std::string> FakeSampler::resets() const {
  std::vector<std::string> out;
  const FrameView now = frame();
  for (std::uint32_t i = 0; i < layout_.table_count; ++i) {
    const Table& t = layout_.tables[i];
    for (std::uint32_t row = 0; row < t.rows; ++row) {
      for (std::uint32_t c = 0; c < t.columns(); ++c) {
        const Column& column = t.schema->columns[c];
        if (column.kind != Kind::counter || now.delta(i, row, c).kind != DeltaKind::reset) continue;
        out.push_back(std::string(t.schema->table) + "[" + std::to_string(row) + "]." +
                      std::string(column.name));
      }
    }
  }
  return out;
}

std::vector<std::string> FakeSampler::paths() const {
  std::vector<std::string> out;
  for (const Running& running : sources_) {
    running.source->paths(
        [](void* context, std::string_view path) {
          static_cast<std::vector<std::string>*>(context)->emplace_back(path);
        },
        &out);
  }
  return out;
}

Cadence FakeSampler::cadence(std::string_view source) const {
  for (const Running& running : sources_) {
    if (running.def->name == source) return running.source->cadence(running.def->cadence);
  }
  ADD_FAILURE() << "no source " << source;
  return {};
}

}  // namespace mikroscope::proc::test
