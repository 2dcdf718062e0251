#include "cli/capture_files.h"

#include <fmt/format.h>

#include "base/clock.h"
#include "base/host/utc.h"
#include "plot/recording_tally.h"

namespace mikroscope::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class Saving {
 public:
  explicit Saving(plot::RecordingWriter& writer) : writer_(writer) {}

  base::Result<void> on_line(const Line& line) {
    if (line.item == nullptr) return writer_.line(line.text);
    if (const auto* frame = std::get_if<proc::Frame>(line.item)) {
      tally.frame(frame->head);
      base::Result<void> done = writer_.frame(*frame, line.text);
      for (const proc::Trigger& t : waiting_) {
        if (done.ok()) done = mark(t, frame->head);
      }
      waiting_.clear();
      return done;
    }
    if (const auto* trigger = std::get_if<proc::Trigger>(line.item)) {
      tally.trigger();
      waiting_.push_back(*trigger);
    } else if (std::holds_alternative<proc::LogRecord>(*line.item)) {
      tally.log_record();
    } else if (const auto* other = std::get_if<proc::OtherLine>(line.item)) {
      const Json json = Json::parse(other->json, nullptr, false);
      if (json.is_object() && json.contains("capture")) capture = json["capture"];
    }
    return writer_.line(line.text);
  }

  plot::RecordingTally tally;
  Json capture = Json::object();
  std::uint64_t markers = 0;

 private:
  base::Result<void> mark(const proc::Trigger& t, const proc::TickHeader& head) {
    plot::Marker marker;
    marker.wall_ns = t.wall_ns != 0 ? t.wall_ns : head.wall_ns;
    marker.seq = t.seq != 0 ? t.seq : head.seq;
    marker.kind = "trigger";
    marker.label = t.field.empty() ? t.cause : fmt::format("{} ({} = {:g})", t.cause, t.field, t.value);
    marker.boot_ns = head.boot_ns;
    ++markers;
    return writer_.marker(marker);
  }

  plot::RecordingWriter& writer_;
  std::vector<proc::Trigger> waiting_;  // for the sample that they belong to
};

}  // namespace

base::Result<SavedCapture> save_capture(Target& target, std::uint64_t id, plot::RecordingWriter& writer) {
  const base::Result<Health> health = target.link->health();
  if (!health.ok()) return health.error();
  Saving saving(writer);
  base::Result<void> done =
      target.link->capture(id, [&saving](const Line& line) { return saving.on_line(line); });
  if (done.ok() && saving.tally.samples() == 0)
    done = base::Error{fmt::format("capture {} holds no sample", id), "", base::Exit::no_data};
  if (!done.ok()) {
    writer.discard();
    return std::move(done).error();
  }
  SavedCapture out;
  out.samples = saving.tally.samples();
  out.markers = saving.markers;
  out.complete = saving.capture.value("complete", false);
  Json meta{{"format", 1},
            {"program", "mikroscope " MIKROSCOPE_VERSION},
            {"complete", out.complete},
            {"target", {{"kind", target.kind}, {"url", target.url}}},
            {"agent",
             {{"version", health->version},
              {"board", health->board},
              {"rate_hz", health->rate_hz},
              {"instance", clean_instance(health->instance)},
              {"boot_id", health->boot_id}}},
            {"fetched_utc", base::format_utc(base::wall_ns(), 3)}};
  if (target.facts) meta["router"] = target.facts->json();
  saving.tally.write(meta);
  meta["markers"] = out.markers;
  meta["capture"] = saving.capture;
  const base::Result<std::string> hash = writer.hash();
  if (!hash.ok()) return hash.error();
  meta["jsonl_sha256"] = *hash;
  meta["jsonl_bytes"] = writer.jsonl_bytes();
  base::Result<void> finished = writer.finish(dump(meta));
  if (!finished.ok()) return std::move(finished).error();
  return out;
}

}  // namespace mikroscope::cli
