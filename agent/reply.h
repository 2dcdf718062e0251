// The bodies of /samples, /stream and /captures/{id}: made a slice at a time, so that no tick waits for a
// large reply.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/captures.h"
#include "agent/store.h"
#include "base/format.h"

namespace mikroscope::agent {

constexpr std::uint32_t kSliceLines = 16;
constexpr std::size_t kSliceBytes = 48 * 1024;
// A bounded reply is made in one slice; as base64 it stays below the 64512 octets that /tool/fetch of
// RouterOS hands on.
constexpr std::size_t kLeastBytes = 1024;
constexpr std::size_t kMostBytes = 48'000;

struct SampleQuery {
  std::uint64_t since = 0;          // samples after this one
  bool all_rows = true;             // names of all rows, not only of those that came after `since`
  bool restarted = false;           // the cursor was of another instance, or above the newest sample
  char previous[33] = {};           // the instance that the client named; empty: none
  std::uint64_t most = UINT64_MAX;  // samples
  bool endless = false;             // a stream
  bool packed = false;
  bool text = false;  // packed, as base64
  bool totals = false;
  std::uint64_t bytes = UINT64_MAX;  // packed: of records at most, whole frames; not above kMostBytes
  std::uint64_t skip = 0;            // captures, packed: records behind the head that the client has
  bool continuing = false;           // packed: the client's decoder stands at `since`
  bool with_schema = true;           // packed: the client does not have the schema
};

enum class SliceEnd : std::uint8_t {
  more,  // there is more to say now
  idle,  // a stream has said all there is
  done,
  broken,  // the records are gone or cannot be decoded: the reply ends without its proper end
};

// Writes text lines and packed records into one bounded buffer.
class Body {
 public:
  Body(char* data, std::size_t capacity) : text_(data, capacity), data_(data), capacity_(capacity) {}
  base::Writer& text() { return text_; }
  std::size_t size() const { return text_.size(); }
  std::size_t left() const { return capacity_ - text_.size(); }
  void raw(std::string_view bytes) { text_.put(bytes); }
  void record(proc::RecordKind kind, std::string_view payload);
  // A line of another kind: with '\n' as text, or as an event record.
  void line(std::string_view json, bool packed);
  // Lets `write(ByteWriter&)` make a payload in place and puts the record's head before it.
  template <class Write>
  void made_record(proc::RecordKind kind, Write write) {
    constexpr std::size_t kRoom = 1 + proc::kMaxVarint;
    if (left() < kRoom) return text_.put(std::string_view("            "));  // sets overflow
    proc::ByteWriter out(data_ + size() + kRoom, left() - kRoom);
    write(out);
    if (out.overflow()) return overflow();
    record(kind, out.view());
  }
  bool overflowed() const { return text_.overflow() || overflow_; }
  void to_base64();  // all of it, in place

 private:
  void overflow() { overflow_ = true; }
  base::Writer text_;
  char* data_;
  std::size_t capacity_;
  bool overflow_ = false;
};

class SampleReply {
 public:
  SampleReply() = default;
  SampleReply(Store& store, const SampleQuery& query);
  // Adds up to a slice to `out`, which must have room for kSliceBytes and the longest line (line_bound)
  // beyond it.
  SliceEnd fill(Body& out);
  std::uint64_t sent() const { return sent_; }  // the last sample that was put into the reply
  bool packed() const { return query_.packed; }

 private:
  SliceEnd slice(Body& out);
  void preamble(Body& out);
  void rows_after(std::uint64_t seq, bool all, Body& out);
  void check_gap(Body& out);
  SliceEnd fill_text(Body& out);
  SliceEnd fill_packed(Body& out);

  Store* store_ = nullptr;
  SampleQuery query_;
  std::uint64_t sent_ = 0;
  std::uint64_t until_ = 0;      // the last sample of this reply; UINT64_MAX for a stream
  std::uint64_t rows_seen_ = 0;  // rows that first appeared up to this sample are named already
  Place place_;                  // packed only
  bool placed_ = false;
  bool began_ = false;
};

class CaptureReply {
 public:
  CaptureReply() = default;
  // Of `query`: packed, text, totals, bytes, skip, continuing.
  CaptureReply(Store& store, Captures& captures, std::uint64_t id, const SampleQuery& query);
  SliceEnd fill(Body& out);

 private:
  SliceEnd slice(Body& out);

  Store* store_ = nullptr;
  Captures* captures_ = nullptr;
  std::uint64_t id_ = 0;
  SampleQuery query_;
  CapturePlace place_;
  std::uint64_t at_ = 0;  // records done
  bool began_ = false;
};

// The longest NDJSON sample or names line that these tables can make, for sizing buffers.
std::size_t line_bound(const proc::Layout& layout);

}  // namespace mikroscope::agent
