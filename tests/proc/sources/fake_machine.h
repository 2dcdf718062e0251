// Trees of kernel files that a test writes, and a sampler that runs the real sources over them as the agent
// does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/codec.h"
#include "proc/source.h"

namespace mikroscope::proc::test {

// A directory with proc/, sys/ and dev/ below it, removed at the end. Files are rewritten in place, so that
// descriptors that a source keeps open see the new text.
class FakeTree {
 public:
  FakeTree();
  ~FakeTree();
  FakeTree(const FakeTree&) = delete;
  FakeTree& operator=(const FakeTree&) = delete;

  // `path` is relative, such as "proc/stat"; directories are made as needed.
  void write(const std::string& path, std::string_view text) const;
  void append(const std::string& path, std::string_view text) const;
  void remove(const std::string& path) const;
  // Copies a captured tree (tests/data/trees/<name>) into this one.
  void copy_captured(const std::string& name) const;

  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

// Roots of a tree; holds the texts that they refer to.
struct TreeRoots {
  explicit TreeRoots(const std::string& root)
      : proc(root + "/proc"), sys(root + "/sys"), kmsg(root + "/dev/kmsg") {}
  Roots roots() const { return {proc, sys, kmsg, false}; }
  std::string proc, sys, kmsg;
};

using Keys = std::vector<std::string>;

class FakeSampler final : EventSink {
 public:
  // `only`: names of the sources to run; empty: all. `possible_cpus` sizes the tables.
  explicit FakeSampler(const Roots& roots, std::initializer_list<std::string_view> only = {},
                       std::uint32_t possible_cpus = 8);
  ~FakeSampler();
  FakeSampler(const FakeSampler&) = delete;
  FakeSampler& operator=(const FakeSampler&) = delete;

  // Reads every source that opened, `step_ns` of boot time after the last tick (0.1 s unless told). The first
  // call primes, like the agent's start: it gives levels and no differences.
  void tick(std::int64_t step_ns = 100'000'000, bool until_zero = false);
  // As the agent does once a minute for those that are absent.
  void reopen();

  ReadStatus opened(std::string_view source) const { return opened_.at(std::string(source)); }
  ReadStatus status(std::string_view source) const { return status_.at(std::string(source)); }

  // The raw cell of the last tick: a running total or a level, times 10^decimals. Nothing where it was not
  // read. `keys` are the texts or decimal numbers of all key columns.
  std::optional<std::int64_t> cell(std::string_view table, const Keys& keys, std::string_view column) const;
  std::optional<std::int64_t> cell(std::string_view table, std::string_view column) const {
    return cell(table, {}, column);
  }
  Delta delta(std::string_view table, const Keys& keys, std::string_view column) const;
  Delta delta(std::string_view table, std::string_view column) const { return delta(table, {}, column); }
  // Rows of the table with any cell in the last tick, and all rows that it ever had.
  std::size_t rows(std::string_view table) const;
  std::size_t rows_ever(std::string_view table) const;
  bool has_table(std::string_view table) const;
  // "table[keys].column" of every counter of the last tick whose step was a reset.
  std::vector<std::string> resets() const;
  std::vector<std::string> paths() const;
  Cadence cadence(std::string_view source) const;

  std::vector<std::string>& events() { return events_; }
  const Layout& layout() const { return layout_; }
  FrameView frame() const { return view(layout_, state_, track_); }
  base::ReadBuffer buffer() { return {buffer_.data(), buffer_.size()}; }

 private:
  struct Running {
    const SourceDef* def;
    Source* source;
    bool bound;
  };
  void event(std::string_view line) override { events_.emplace_back(line); }
  void open(Running& running);
  int find_row(std::uint32_t table, const Keys& keys) const;

  Roots roots_;
  std::size_t arena_bytes_;
  void* memory_;
  base::Arena arena_;
  Texts texts_;
  Layout layout_;
  State state_;
  Track track_;
  std::vector<Running> sources_;
  std::map<std::string, ReadStatus> opened_;
  std::map<std::string, ReadStatus> status_;
  std::vector<std::string> events_;
  std::vector<char> buffer_;
  std::vector<char> packed_;
  std::uint64_t seq_ = 0;
  std::int64_t boot_ns_ = 1'000'000'000'000;
};

}  // namespace mikroscope::proc::test
