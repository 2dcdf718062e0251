// The packed stream (application/vnd.mikroscope.frames): what the agent's ring holds and collectors pull.
// docs/wire.md describes every byte; this is the only encoder and the only frame decoder.
//
// A stream is a run of records: kind (one byte), payload length (varint), payload.
#pragma once

#include <cstdint>
#include <string_view>

#include "proc/delta.h"
#include "proc/layout.h"
#include "proc/varint.h"

namespace mikroscope::proc {

constexpr std::uint32_t kWireVersion = 1;
constexpr std::string_view kFramesMediaType = "application/vnd.mikroscope.frames";
// The same records as base64 text, for readers behind something that passes only text on.
constexpr std::string_view kFramesTextMediaType = "application/vnd.mikroscope.frames+base64";
constexpr std::string_view kNdjsonMediaType = "application/x-ndjson";

enum class RecordKind : std::uint8_t {
  hello = 'H',   // version, instance, boot id, rates, schema hash: first in every reply
  schema = 'S',  // all tables with their key columns and columns
  rows = 'N',    // keys of rows of one table
  base = 'B',    // the whole state before the next frame: where decoding can begin
  frame = 'F',   // one tick as differences to the state before it
  event = 'E',   // one NDJSON line of another kind (gap, restart, trigger, log, capture, bye), without '\n'
};

struct Record {
  RecordKind kind{};
  std::string_view payload;
};
// Reads one record off `in`. 1: read; 0: `in` holds only the beginning of one (nothing moved); -1: no such
// record, or longer than `max_payload`.
int read_record(std::string_view& in, Record& out, std::size_t max_payload);
// Bytes that head a record of `payload_size`.
std::size_t record_head(RecordKind kind, std::size_t payload_size, char out[1 + kMaxVarint]);

struct Hello {
  std::uint32_t version = kWireVersion;
  std::string_view instance;  // random per start of the agent
  std::string_view boot_id;   // of the kernel; empty where unknown
  std::uint32_t user_hz = 100;
  std::uint32_t rate_hz = 10;
  std::uint32_t schema_hash = 0;
};
void write_hello(ByteWriter& out, const Hello& hello);
bool read_hello(std::string_view payload, Hello& out);

// All schemas of `layout`, native widths resolved. Help texts do not travel (they are in /capabilities).
void write_schema(ByteWriter& out, const Layout& layout);
std::uint32_t schema_hash(const Layout& layout);  // FNV-1a of exactly these bytes

// Keys of rows [first, first+count) of `table`.
void write_rows(ByteWriter& out, const Layout& layout, std::uint32_t table, std::uint32_t first,
                std::uint32_t count);

// What the stream has said up to now about every slot: the base of the next frame. Encoder and decoder each
// keep one.
struct Track {
  TickHeader head;
  std::uint64_t tables = 0;
  std::uint32_t rows[kMaxTables] = {};
  std::int64_t read_boot_ns[kMaxTables] = {};  // boot_ns of the last frame that held the table; 0 = none
  std::uint64_t* values = nullptr;             // slots: last reading
  std::uint8_t* live = nullptr;                // slots: present at the last reading of the table
};
Track make_track(base::Arena& arena, const Layout& layout);  // values == nullptr when there was no room
void copy_track(const Layout& layout, const Track& from, Track& to);

// Writes the track itself: the payload of a base record.
void write_base(ByteWriter& out, const Layout& layout, const Track& track);
// Writes `now` as differences to `track`, and moves the track on. track.rows must equal the layout's rows for
// every table: where rows were added, write a base first (see grow()).
void write_frame(ByteWriter& out, const Layout& layout, const State& now, Track& track);
// Makes a first reading the base of the next frame without writing it: sample 1 is the tick after the priming
// one.
void prime(const Layout& layout, const State& first, Track& track);
// Takes rows that the layout gained into the track (not live, value 0). True if there were any: a base must
// follow.
bool grow(const Layout& layout, Track& track);

// `now` against `track`, before write_frame() moves the track on.
FrameView view(const Layout& layout, const State& now, const Track& track);

// Decodes bases and frames over a layout that knows at least the rows that they name.
class FrameDecoder {
 public:
  FrameDecoder() = default;
  FrameDecoder(base::Arena& arena, const Layout& layout);  // usable() is false when there was no room
  bool usable() const { return track_.values != nullptr && before_ != nullptr && live_before_ != nullptr; }

  // False: the bytes are no base/frame of this layout; the decoder then needs a base before it takes frames
  // again.
  bool base(std::string_view payload);
  bool frame(std::string_view payload);
  bool started() const { return started_; }

  // The last frame with what came before it; valid until the next call.
  FrameView view() const;
  const Track& track() const { return track_; }

 private:
  bool toggles(ByteReader& in, std::uint64_t tables);

  const Layout* layout_ = nullptr;
  Track track_;
  std::uint64_t* before_ = nullptr;
  std::uint8_t* live_before_ = nullptr;
  std::int64_t read_before_[kMaxTables] = {};
  bool started_ = false;
};

}  // namespace mikroscope::proc
