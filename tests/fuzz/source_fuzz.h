// Runs one real source over files made of the fuzzer's bytes: opened on the first contents, then read again
// after the files changed under it, which is what tries the remembered positions. The input's pieces are
// divided by bytes 0xFF; they fill the files in turn, twice.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "proc/codec.h"
#include "proc/source.h"

namespace mikroscope::fuzz {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

class SourceFuzz {
 public:
  // `files` are relative to the tree, such as "proc/stat".
  SourceFuzz(std::string_view source, std::vector<std::string> files)
      : def_(proc::find_source(source)),
        files_(std::move(files)),
        memory_(base::map_pages(kBytes)),
        buffer_(1 << 16) {
    require(def_ != nullptr && memory_ != nullptr);
    std::string pattern =
        access("/dev/shm", W_OK) == 0 ? "/dev/shm/mikroscope-fuzz-XXXXXX" : "/tmp/mikroscope-fuzz-XXXXXX";
    require(mkdtemp(pattern.data()) != nullptr);
    root_ = pattern;
    for (const std::string& file : files_) {
      for (std::size_t slash = file.find('/'); slash != std::string::npos;
           slash = file.find('/', slash + 1)) {
        mkdir((root_ + "/" + file.substr(0, slash)).c_str(), 0700);
      }
    }
  }
  ~SourceFuzz() {
    for (const std::string& file : files_) {
      unlink((root_ + "/" + file).c_str());
      for (std::size_t slash = file.rfind('/'); slash != std::string::npos && slash > 0;
           slash = file.rfind('/', slash - 1)) {
        rmdir((root_ + "/" + file.substr(0, slash)).c_str());
      }
    }
    rmdir(root_.c_str());
  }
  SourceFuzz(const SourceFuzz&) = delete;
  SourceFuzz& operator=(const SourceFuzz&) = delete;

  void run(const std::uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const int first_descriptor = dup(0);
    require(first_descriptor >= 0);
    base::Arena arena(memory_, kBytes);
    run(arena, rest);
    // Sources are never destroyed: take back their descriptors and the memory that they used.
    for (int fd = first_descriptor; fd < first_descriptor + kMostDescriptors; ++fd) close(fd);
    std::memset(memory_, 0, arena.used());
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{16} << 20;
  static constexpr int kMostDescriptors = 64;

  void run(base::Arena& arena, std::string_view rest) {
    const std::string proc = root_ + "/proc";
    const std::string sys = root_ + "/sys";
    const std::string kmsg = root_ + "/dev/kmsg";
    const proc::Roots roots{proc, sys, kmsg, false};
    const base::ReadBuffer buffer{buffer_.data(), buffer_.size()};
    std::vector<const proc::Schema*> schemas;
    std::vector<std::uint32_t> capacities;
    for (const proc::TableDef& def : proc::all_tables()) {
      schemas.push_back(def.schema);
      capacities.push_back(def.capacity({2}));
    }
    proc::Texts texts(arena, 64, 4096);
    proc::Layout layout = proc::make_layout(arena, schemas, capacities, &texts);
    proc::State state = proc::make_state(arena, layout);
    proc::Track track = proc::make_track(arena, layout);
    proc::Source* const source = def_->make(arena);
    require(source != nullptr && track.values != nullptr);

    fill(rest);
    if (source->open(roots, arena, buffer) != proc::ReadStatus::ok) return;
    source->bind(layout, state);
    read(*source, layout, state, track, buffer, 1);
    fill(rest);
    read(*source, layout, state, track, buffer, 2);
    read(*source, layout, state, track, buffer, 700);  // a minute later: what is looked at again is
  }

  void fill(std::string_view& rest) const {
    for (const std::string& file : files_) {
      const std::size_t end = rest.find('\xff');
      const std::string_view text = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      const int fd = open((root_ + "/" + file).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      require(fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
      close(fd);
    }
  }

  static void read(proc::Source& source, proc::Layout& layout, proc::State& state, proc::Track& track,
                   base::ReadBuffer buffer, std::int64_t tenths) {
    const std::int64_t now = 1'000'000'000 + tenths * 100'000'000;
    proc::begin_tick(layout, state, {static_cast<std::uint64_t>(tenths), now, now, 100'000'000});
    proc::Tick tick{layout, state, buffer, nullptr, tenths == 1, now};
    const proc::ReadStatus status = source.read(tick);
    require(status == proc::ReadStatus::ok || state.tables == 0);  // a failed reading sets nothing
    proc::grow(layout, track);
    for (std::uint32_t i = 0; i < layout.table_count; ++i) {
      const proc::Table& t = layout.tables[i];
      require(t.rows <= t.capacity);
      bool any = false;
      for (std::uint32_t slot = t.slot0; slot < t.slot0 + t.used_slots(); ++slot)
        any = any || state.present[slot] != 0;
      require(any == state.has_table(i));
      for (std::uint32_t row = 0; row < t.rows; ++row) {
        require(layout.find_row(i, t.keys[row]) == static_cast<int>(row));  // keys are unique
      }
    }
    std::vector<char> packed(1 << 16);
    proc::ByteWriter out(packed.data(), packed.size());
    proc::write_frame(out, layout, state, track);
  }

  const proc::SourceDef* def_;
  std::vector<std::string> files_;
  void* memory_;
  std::vector<char> buffer_;
  std::string root_;
};

}  // namespace mikroscope::fuzz

// The body of a target for one source.
#define MIKROSCOPE_FUZZ_SOURCE(source, ...)                                           \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    static mikroscope::fuzz::SourceFuzz fuzz(source, {__VA_ARGS__});                  \
    fuzz.run(data, size);                                                             \
    return 0;                                                                         \
  }
