#include "sinks/pipeline/block_record.h"

#include <algorithm>

#include "model/bytes.h"
#include "sinks/pipeline/loss.h"

namespace mikroscope::sinks {
namespace {

void write_cursor(const RouterCursor& cursor, model::ByteWriter& out) {
  out.text(cursor.instance);
  out.text(cursor.boot_id);
  out.number(cursor.seq);
  out.integer(cursor.wall_ns);
}

RouterCursor read_cursor(model::ByteReader& in) {
  RouterCursor cursor;
  cursor.instance = in.text();
  cursor.boot_id = in.text();
  cursor.seq = in.number();
  cursor.wall_ns = in.integer();
  return cursor;
}

}  // namespace

BlockHead describe_block(std::span<const model::Event> events) {
  BlockHead head;
  head.events = events.size();
  if (events.empty()) return head;
  head.host = events.front().origin->host;
  head.instance = events.front().origin->instance;
  head.boot_id = events.front().origin->boot_id;
  for (const model::Event& event : events) {
    head.last_wall_ns = std::max(head.last_wall_ns, event.wall_ns);
    if (event.kind == model::EventKind::gap) {
      if (const auto range = gap_range(event)) head.lost.push_back(*range);
    }
    if (event.kind != model::EventKind::sample) continue;
    if (head.samples++ == 0) head.first_seq = event.seq;
    head.last_seq = event.seq;
  }
  return head;
}

std::string write_block_record(const BlockHead& head) {
  std::string payload;
  model::ByteWriter out(payload);
  out.number(head.first_event);
  out.number(head.events);
  out.text(head.only_for);
  out.text(head.host);
  out.text(head.instance);
  out.text(head.boot_id);
  out.number(head.samples);
  out.number(head.first_seq);
  out.number(head.last_seq);
  out.number(head.lost.size());
  for (const auto& [from, to] : head.lost) {
    out.number(from);
    out.number(to);
  }
  out.integer(head.last_wall_ns);
  out.byte(head.cursor ? 1 : 0);
  if (head.cursor) write_cursor(*head.cursor, out);
  payload.append(head.block);
  return payload;
}

bool read_block_record(std::string_view payload, BlockHead& head) {
  model::ByteReader in(payload);
  head.first_event = in.number();
  head.events = in.number();
  head.only_for = in.text();
  head.host = in.text();
  head.instance = in.text();
  head.boot_id = in.text();
  head.samples = in.number();
  head.first_seq = in.number();
  head.last_seq = in.number();
  head.lost.resize(in.count(2));
  for (auto& [from, to] : head.lost) {
    from = in.number();
    to = in.number();
  }
  head.last_wall_ns = in.integer();
  head.cursor.reset();
  if (in.byte() != 0) head.cursor = read_cursor(in);
  if (in.failed()) return false;
  head.block = payload.substr(payload.size() - in.left());
  return true;
}

std::string write_cursors(const std::map<std::string, RouterCursor>& cursors) {
  std::string payload;
  model::ByteWriter out(payload);
  out.number(cursors.size());
  for (const auto& [host, cursor] : cursors) {
    out.text(host);
    write_cursor(cursor, out);
  }
  return payload;
}

bool read_cursors(std::string_view payload, std::map<std::string, RouterCursor>& cursors) {
  model::ByteReader in(payload);
  for (std::size_t n = in.count(5); n > 0; --n) {
    std::string host(in.text());
    RouterCursor cursor = read_cursor(in);
    if (!in.failed()) cursors[std::move(host)] = std::move(cursor);
  }
  return !in.failed() && in.at_end();
}

}  // namespace mikroscope::sinks
