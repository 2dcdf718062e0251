#include "cli/reply_decoder.h"

#include <fmt/format.h>

#include <deque>
#include <string>
#include <vector>

#include "base/format.h"
#include "proc/codec.h"
#include "proc/ndjson.h"
#include "proc/reader/reader.h"

namespace mikroscope::cli {
namespace {

constexpr std::size_t kMaxRecord = std::size_t{16} << 20;
constexpr std::size_t kFirstLineRoom = std::size_t{256} << 10;
constexpr std::size_t kMaxLineRoom = std::size_t{64} << 20;

// Rows that names lines tell of.
std::uint64_t labelled_rows(const proc::Layout& layout) {
  std::uint64_t n = 0;
  for (const proc::Table& t : layout.all()) {
    for (const proc::KeyColumn& k : t.schema->keys) {
      if (!k.label) continue;
      n += t.rows;
      break;
    }
  }
  return n;
}

bool goes_at_once(std::string_view event) {
  return event.starts_with("{\"gap\"") || event.starts_with("{\"restart\"") || event.starts_with("{\"bye\"");
}

}  // namespace

struct ReplyDecoder::Impl {
  proc::PackedReader packed;
  proc::NdjsonReader ndjson;
  std::vector<char> room = std::vector<char>(kFirstLineRoom);
  std::uint64_t named_rows = 0;
  std::string line;
  // Texts of events that the reader keeps until the frame that they belong to.
  std::deque<std::string> events;
  ReplyDecoder::Standing standing;
  bool with_text = true;

  // Runs `write` with ever more room until it fits; empty when it never does.
  template <class Write>
  std::string_view rendered(Write write) {
    for (;;) {
      base::Writer out(room.data(), room.size());
      if (write(out)) return out.view();
      if (room.size() >= kMaxLineRoom) return {};
      room.resize(room.size() * 2);
    }
  }

  base::Result<void> names(const OnLine& on_line) {
    const proc::Layout& layout = packed.wire_layout();
    const std::uint64_t rows = labelled_rows(layout);
    if (rows == named_rows) return {};
    named_rows = rows;
    const std::string_view text =
        rendered([&](base::Writer& out) { return proc::write_names(layout, 0, out); });
    return text.empty() ? base::Result<void>() : on_line({text, nullptr});
  }

  base::Result<void> packed_item(const proc::Item& item, std::string_view event, const OnLine& on_line,
                                 PullResult& result) {
    const bool at_once = std::holds_alternative<proc::Gap>(item) ||
                         std::holds_alternative<proc::Restart>(item) ||
                         std::holds_alternative<proc::Bye>(item);
    std::string kept;
    if (!at_once && !std::holds_alternative<proc::Frame>(item) && !events.empty()) {
      kept = std::move(events.front());
      events.pop_front();
      event = kept;
    }
    if (std::holds_alternative<proc::Malformed>(item)) {
      standing = {};
      ++result.malformed;
      return {};
    }
    if (!std::holds_alternative<proc::Frame>(item)) {
      line.assign(event);
      if (const auto* restart = std::get_if<proc::Restart>(&item)) {
        named_rows = 0;
        // The head of a reply of a new instance says it before any event does.
        if (event.empty()) {
          line = fmt::format("{{\"restart\":{{\"instance\":\"{}\",\"previous\":\"{}\",\"reboot\":{}}}}}",
                             clean_instance(restart->instance), clean_instance(restart->previous_instance),
                             restart->reboot);
        }
      }
      line += '\n';
      return on_line({line, &item});
    }
    ++result.frames;
    standing.seq = std::get<proc::Frame>(item).head.seq;
    if (!with_text) return on_line({{}, &item});
    base::Result<void> named = names(on_line);
    if (!named.ok()) return named;
    const proc::FrameView view = packed.view();
    const std::string_view line_text =
        rendered([&](base::Writer& out) { return proc::write_sample(view, false, out); });
    if (line_text.empty()) {
      ++result.malformed;
      return {};
    }
    return on_line({line_text, &item});
  }
};

ReplyDecoder::ReplyDecoder() : impl_(std::make_unique<Impl>()) {}
ReplyDecoder::~ReplyDecoder() = default;

const ReplyDecoder::Standing& ReplyDecoder::standing() const {
  return impl_->standing;
}

base::Result<void> ReplyDecoder::packed(std::string_view body, const OnLine& on_line, PullResult& result,
                                        bool text) {
  Impl& d = *impl_;
  d.with_text = text;
  d.packed.restart_input();
  // Fed record by record, so that the text of an event is at hand when its item comes out.
  while (!body.empty()) {
    std::string_view rest = body;
    proc::Record record;
    const int got = proc::read_record(rest, record, kMaxRecord);
    if (got <= 0) {
      d.standing = {};
      ++result.malformed;  // a reply cut off or damaged: what came before it counts, the rest is asked for
                           // again
      break;
    }
    d.packed.feed(body.substr(0, body.size() - rest.size()));
    body = rest;
    proc::Hello hello;
    if (record.kind == proc::RecordKind::hello && proc::read_hello(record.payload, hello)) {
      d.events.clear();
      if (d.standing.instance != hello.instance) d.standing = {};
      d.standing.instance = hello.instance;
      d.standing.schema_hash = hello.schema_hash;
    }
    const std::string_view event =
        record.kind == proc::RecordKind::event ? record.payload : std::string_view();
    if (!event.empty() && !goes_at_once(event)) d.events.emplace_back(event);
    while (const std::optional<proc::Item> item = d.packed.next()) {
      base::Result<void> done = d.packed_item(*item, event, on_line, result);
      if (!done.ok()) return done;
    }
    if (record.kind == proc::RecordKind::frame) d.events.clear();  // of a sample that we had already
  }
  return {};
}

base::Result<void> ReplyDecoder::ndjson(std::string_view body, const OnLine& on_line, PullResult& result) {
  Impl& d = *impl_;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    if (end == std::string_view::npos) {
      ++result.malformed;
      break;
    }
    const std::string_view text = body.substr(0, end + 1);
    body.remove_prefix(end + 1);
    if (text.size() == 1 || text[0] == '#') continue;
    d.ndjson.feed(text);
    bool any = false;
    while (const std::optional<proc::Item> item = d.ndjson.next()) {
      if (std::holds_alternative<proc::Malformed>(*item)) {
        ++result.malformed;
        any = true;
        continue;
      }
      if (std::holds_alternative<proc::Frame>(*item)) ++result.frames;
      any = true;
      base::Result<void> done = on_line({text, &*item});
      if (!done.ok()) return done;
    }
    if (!any) {
      base::Result<void> done = on_line({text, nullptr});
      if (!done.ok()) return done;
    }
  }
  return {};
}

}  // namespace mikroscope::cli
