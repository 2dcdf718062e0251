#include "agent/reply.h"

#include <cstring>

#include "proc/ndjson.h"

namespace mikroscope::agent {
namespace {

void write_rows_after(const proc::Layout& layout, std::uint64_t seq, bool all, bool packed, Body& out) {
  if (!packed) {
    // Rows of the first reading carry sample 0, so since=0 means every row there too.
    proc::write_names(layout, all ? 0 : seq, out.text());
    return;
  }
  for (std::uint32_t i = 0; i < layout.table_count; ++i) {
    const proc::Table& t = layout.tables[i];
    if (t.schema->keys.empty()) continue;
    std::uint32_t first = 0;
    while (first < t.rows && !all && t.first_seq[first] <= seq) ++first;
    if (first == t.rows) continue;
    out.made_record(proc::RecordKind::rows,
                    [&](proc::ByteWriter& w) { proc::write_rows(w, layout, i, first, t.rows - first); });
  }
}

void write_head(const Store& store, bool with_schema, Body& out) {
  out.made_record(proc::RecordKind::hello, [&](proc::ByteWriter& w) { proc::write_hello(w, store.hello()); });
  if (!with_schema) return;
  out.made_record(proc::RecordKind::schema,
                  [&](proc::ByteWriter& w) { proc::write_schema(w, *store.layout); });
}

}  // namespace

void Body::record(proc::RecordKind kind, std::string_view payload) {
  char head[1 + proc::kMaxVarint];
  const std::size_t head_size = proc::record_head(kind, payload.size(), head);
  const std::size_t at = text_.size();
  if (head_size + payload.size() > left()) {
    overflow_ = true;
    return;
  }
  // The payload may lie further on in this very buffer.
  if (!payload.empty()) std::memmove(data_ + at + head_size, payload.data(), payload.size());
  std::memcpy(data_ + at, head, head_size);
  text_.rewind(at + head_size + payload.size());
}

void Body::line(std::string_view json, bool packed) {
  if (packed) return record(proc::RecordKind::event, json);
  text_.put(json);
  text_.put('\n');
}

void Body::to_base64() {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t n = size();
  std::size_t in = (n + 2) / 3 * 3;
  std::size_t at = in / 3 * 4;
  if (at > capacity_) return overflow();
  text_.rewind(at);
  // From the end: what is written lies behind what is still to be read.
  while (in != 0) {
    in -= 3;
    at -= 4;
    std::uint32_t bits = 0;
    for (std::size_t i = in; i < in + 3; ++i)
      bits = bits << 8 | (i < n ? static_cast<unsigned char>(data_[i]) : 0U);
    for (std::size_t i = 4; i-- != 0; bits >>= 6) data_[at + i] = in + i > n ? '=' : kDigits[bits & 63];
  }
}

std::size_t line_bound(const proc::Layout& layout) {
  constexpr std::size_t kNumber = 24;
  constexpr std::size_t kOdd = 96;  // the entry of a cell in "odd", beside its names
  constexpr std::size_t kKeyText = 64;
  std::size_t bound = 1024;
  for (const proc::Table& t : layout.all()) {
    std::size_t row = 8;
    for (const proc::KeyColumn& k : t.schema->keys) row += k.name.size() + kNumber + (k.text ? kKeyText : 0);
    for (const proc::Column& c : t.schema->columns) row += c.name.size() + kNumber;
    bound += t.schema->table.size() + kNumber + 32 + row * t.capacity;
  }
  // All counters of a machine do not misbehave in one tick; where they did, the line is left out and counted
  // as a gap.
  return bound + 1024 * kOdd;
}

SampleReply::SampleReply(Store& store, const SampleQuery& query)
    : store_(&store), query_(query), sent_(query.since) {
  const Ring& ring = store.ring;
  rows_seen_ = query.since;
  if (query.endless) {
    until_ = UINT64_MAX;
    return;
  }
  const std::uint64_t newest = ring.newest();
  // A window that begins before what is held is counted from the oldest held sample.
  const std::uint64_t from = ring.held() != 0 && sent_ + 1 < ring.oldest() ? ring.oldest() - 1 : sent_;
  until_ = newest - from > query.most ? from + query.most : newest;
}

void SampleReply::rows_after(std::uint64_t seq, bool all, Body& out) {
  write_rows_after(*store_->layout, seq, all, query_.packed, out);
  rows_seen_ = store_->ring.newest();
}

void SampleReply::preamble(Body& out) {
  if (query_.packed) write_head(*store_, query_.with_schema, out);
  if (query_.restarted) {
    char line[256];
    base::Writer w(line, sizeof line);
    w.print("{\"restart\":{\"instance\":%j,\"previous\":%j,\"boot_id\":%j,\"newest\":%u}}",
            std::string_view(store_->facts->instance), std::string_view(query_.previous),
            store_->facts->boot_id, store_->ring.newest());
    out.line(w.view(), query_.packed);
  }
  rows_after(sent_, query_.all_rows, out);
  began_ = true;
}

// A reply that fell off the ring says so and goes on with the oldest sample held.
void SampleReply::check_gap(Body& out) {
  const Ring& ring = store_->ring;
  if (ring.held() == 0 || sent_ + 1 >= ring.oldest()) return;
  const std::uint64_t to = ring.oldest() - 1;
  // since=0 and a restart ask for what there is: what came before is not missing.
  const bool asked_for_oldest = sent_ == 0 && query_.since == 0;
  if (!asked_for_oldest) {
    char line[96];
    base::Writer w(line, sizeof line);
    proc::write_gap(sent_ + 1, to, w);
    out.line(w.view().substr(0, w.size() - 1), query_.packed);
  }
  sent_ = to;
  placed_ = false;
  query_.continuing = false;
}

SliceEnd SampleReply::fill(Body& out) {
  const SliceEnd end = slice(out);
  if (query_.text) out.to_base64();
  return end;
}

SliceEnd SampleReply::slice(Body& out) {
  if (!began_) preamble(out);
  if (sent_ < until_ && store_->ring.newest() > sent_) {
    check_gap(out);
    if (store_->recorder->rows_changed_seq() > rows_seen_) rows_after(rows_seen_, false, out);
    const SliceEnd end = query_.packed ? fill_packed(out) : fill_text(out);
    if (end == SliceEnd::broken) return end;
  }
  if (out.overflowed()) return SliceEnd::broken;
  if (sent_ >= until_) return SliceEnd::done;
  if (sent_ < store_->ring.newest()) return SliceEnd::more;
  return query_.endless ? SliceEnd::idle : SliceEnd::done;
}

SliceEnd SampleReply::fill_text(Body& out) {
  StandingDecoder* const d = store_->decoder_at(sent_);
  if (d == nullptr) return SliceEnd::broken;
  const std::size_t begin = out.size();
  std::uint32_t lines = 0;
  while (sent_ < until_ && lines < kSliceLines && out.size() - begin < kSliceBytes) {
    proc::Record record;
    std::string_view whole;
    if (!store_->ring.next(d->place, record, whole)) break;
    bool good = true;
    if (record.kind == proc::RecordKind::base) {
      good = d->decoder.base(record.payload);
    } else if (record.kind == proc::RecordKind::event) {
      out.line(record.payload, false);
    } else {
      good = d->decoder.frame(record.payload);
      d->last_seq = d->place.next_seq - 1;
      if (good && !proc::write_sample(d->decoder.view(), query_.totals, out.text())) {
        char line[96];
        base::Writer w(line, sizeof line);
        if (proc::write_gap(d->last_seq, d->last_seq, w)) out.raw(w.view());
      }
      sent_ = d->last_seq;
      ++lines;
    }
    if (!good) {
      d->last_seq = 0;
      return SliceEnd::broken;
    }
  }
  return SliceEnd::more;
}

SliceEnd SampleReply::fill_packed(Body& out) {
  if (!placed_ || !store_->ring.holds(place_)) {
    Place exact;
    const Place base = store_->ring.base_for(sent_, exact);
    place_ = query_.continuing ? exact : base;
    placed_ = true;
  }
  const std::size_t begin = out.size();
  std::size_t whole_frames = begin;
  while (sent_ < until_ && out.size() - begin < kSliceBytes) {
    const std::uint64_t seq = place_.next_seq;
    proc::Record record;
    std::string_view whole;
    if (!store_->ring.next(place_, record, whole)) break;
    // Frames up to `sent_` come along because decoding begins at their base; the lines before them were read
    // already.
    if (record.kind == proc::RecordKind::event && seq <= sent_) continue;
    if (out.size() + whole.size() > query_.bytes) {
      // The client asks for the rest with its next cursor.
      out.text().rewind(whole_frames);
      until_ = sent_;
      break;
    }
    out.raw(whole);
    if (record.kind != proc::RecordKind::frame || seq <= sent_) continue;
    sent_ = seq;
    whole_frames = out.size();
  }
  return SliceEnd::more;
}

CaptureReply::CaptureReply(Store& store, Captures& captures, std::uint64_t id, const SampleQuery& query)
    : store_(&store), captures_(&captures), id_(id), query_(query) {
  if (const Capture* c = captures.find(id)) place_ = Captures::start(*c);
}

SliceEnd CaptureReply::fill(Body& out) {
  const SliceEnd end = slice(out);
  if (query_.text) out.to_base64();
  return end;
}

SliceEnd CaptureReply::slice(Body& out) {
  const Capture* const capture = captures_->find(id_);
  if (capture == nullptr) return SliceEnd::broken;  // deleted, or made room for another one
  const std::size_t begin = out.size();
  proc::Record record;
  std::string_view whole;
  while (at_ < query_.skip && captures_->next(*capture, place_, record, whole)) ++at_;
  if (!began_ && !query_.continuing) {
    if (query_.packed) write_head(*store_, true, out);
    char line[8192];
    base::Writer w(line, sizeof line);
    w.put("{\"capture\":");
    write_capture(*capture, w);
    w.put('}');
    out.line(w.view(), query_.packed);
    write_rows_after(*store_->layout, 0, true, query_.packed, out);
    began_ = true;
  }
  // Other replies use the decoder too: each slice decodes from the capture's last base before its place.
  proc::FrameDecoder& decoder = store_->capture_decoder;
  if (!query_.packed && (store_->capture_decoder_id != id_ || store_->capture_decoder_at != at_)) {
    CapturePlace again = Captures::start(*capture);
    std::uint64_t records = 0;
    while (records < at_ && captures_->next(*capture, again, record, whole)) {
      ++records;
      if (record.kind == proc::RecordKind::base && !decoder.base(record.payload)) return SliceEnd::broken;
      if (record.kind == proc::RecordKind::frame && !decoder.frame(record.payload)) return SliceEnd::broken;
    }
    store_->capture_decoder_id = id_;
  }
  std::uint32_t lines = 0;
  SliceEnd end = SliceEnd::more;
  while (lines < kSliceLines && out.size() - begin < kSliceBytes) {
    const bool any = captures_->next(*capture, place_, record, whole);
    if (!any || out.size() + whole.size() > query_.bytes) {
      end = SliceEnd::done;
      break;
    }
    ++at_;
    if (query_.packed) {
      out.raw(whole);
      continue;
    }
    if (record.kind == proc::RecordKind::event) {
      out.line(record.payload, false);
    } else if (record.kind == proc::RecordKind::base) {
      if (!decoder.base(record.payload)) return SliceEnd::broken;
    } else {
      if (!decoder.frame(record.payload)) return SliceEnd::broken;
      const proc::FrameView view = decoder.view();
      if (view.head.seq < capture->first_seq || view.head.seq > capture->last_seq) continue;
      if (!proc::write_sample(view, query_.totals, out.text())) return SliceEnd::broken;
      ++lines;
    }
  }
  if (!query_.packed) store_->capture_decoder_at = at_;
  captures_->counts().served_bytes += out.size() - begin;
  return out.overflowed() ? SliceEnd::broken : end;
}

}  // namespace mikroscope::agent
