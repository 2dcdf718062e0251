// One file of the spool, or the same in memory: records that are only ever appended, each with its checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/host/result.h"

namespace mikroscope::sinks {

enum class RecordType : std::uint8_t {
  shape = 1,    // model::Shape::bytes()
  block = 2,    // a block of events with its head
  cursors = 3,  // where each router's samples continue
};

struct Record {
  RecordType type = RecordType::block;
  std::string payload;
  std::uint64_t next = 0;  // offset behind it
};

// Appended to by one thread at a time; read by any number, up to what was appended whole.
class Segment {
 public:
  // A new segment at `path` (empty: in memory) whose first event will have the number `first_event`.
  static base::Result<std::shared_ptr<Segment>> create(const std::string& path, std::uint64_t first_event);
  // One that an earlier run left; what follows its last whole record is cut off when `repair` is set.
  static base::Result<std::shared_ptr<Segment>> open(const std::string& path, bool repair);
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // All of `records` or nothing of them (an error leaves the segment as it was).
  base::Result<void> append(std::string_view records);
  static void put_record(RecordType type, std::string_view payload, std::string& out);

  enum class Found : std::uint8_t { record, end, damaged };
  // The record at `offset`. `damaged`: its bytes are not what was written; record.next is where the next one
  // is, or the end of the segment where even that cannot be known.
  Found read(std::uint64_t offset, Record& record) const;

  std::uint64_t first_event() const { return first_event_; }
  std::uint64_t first_offset() const;
  std::uint64_t bytes() const;
  std::int64_t created_ns() const { return created_ns_; }  // CLOCK_REALTIME
  std::uint64_t cut_bytes() const { return cut_bytes_; }   // by open(): a record that was being written
  void sync() const;
  void remove() const;   // the file; what is open stays readable
  void discard() const;  // its room too, at once: for what nobody will read again

 private:
  Segment() = default;
  bool fetch(std::uint64_t offset, std::size_t size, char* to) const;

  std::string path_;
  int fd_ = -1;
  std::string memory_;
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0;
  std::uint64_t first_event_ = 0;
  std::int64_t created_ns_ = 0;
  std::uint64_t cut_bytes_ = 0;
};

}  // namespace mikroscope::sinks
