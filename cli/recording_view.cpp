#include "cli/recording_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <fstream>

#include "base/clock.h"
#include "base/file.h"
#include "base/host/duration.h"
#include "base/host/files.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "cli/clock_map.h"
#include "plot/recording.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kDayNs = 86'400 * base::kNsPerSecond;

base::Error no_instant(std::string_view text) {
  return {
      fmt::format("\"{}\" is no instant of a recording", text),
      "12.5s (after the first sample), -3s (ago), end-5s, seq:42, 14:03:20.5 or 2026-09-12T14:03:20Z (UTC)",
      base::Exit::usage};
}

bool is_locked(const std::string& path) {
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

// Calls `each` with every sample's head, in order, until it returns false.
template <class Each>
void for_each_head(const std::string& path, Each each) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  while (std::getline(file, line)) {
    plot::SampleHead head;
    if (!plot::parse_head(std::string_view(line).substr(0, 512), head) || head.seq == 0) continue;
    if (!each(head)) return;
  }
}

}  // namespace

base::Result<RecordingView> RecordingView::open(const std::string& prefix) {
  RecordingView out;
  out.paths_.prefix = prefix;
  const std::string part = out.paths_.jsonl_part();
  if (base::exists(part) && is_locked(part)) {
    out.running_ = true;
    out.data_ = part;
  } else if (base::exists(out.paths_.jsonl())) {
    out.data_ = out.paths_.jsonl();
  } else if (base::exists(part)) {
    return base::Error{fmt::format("{} is left of a recording that was cut off", part),
                       "mikroscope record --recover " + prefix, base::Exit::refused};
  } else {
    return base::Error{
        fmt::format("there is no recording {}: neither {} nor {} exists", prefix, out.paths_.jsonl(), part),
        "the prefix that record was given with --out", base::Exit::no_data};
  }
  const std::string meta_path = out.running_ ? out.paths_.meta_part() : out.paths_.meta();
  base::Result<std::string> meta = base::read_text(meta_path);
  if (!meta.ok() && out.running_) meta = base::read_text(out.paths_.meta());  // it ended this very moment
  if (meta.ok()) out.meta_ = nlohmann::json::parse(*meta, nullptr, false);
  if (!out.meta_.is_object()) out.meta_ = nlohmann::json::object();
  if (out.running_ && out.meta_.empty()) {
    return base::Error{fmt::format("the recording {} has no sample yet", prefix),
                       "wait a second and try again", base::Exit::no_data};
  }
  return out;
}

base::Result<Instant> RecordingView::now() {
  Instant out;
  const std::int64_t host_boot_ns = base::boot_ns();
  const std::int64_t host_wall_ns = base::wall_ns();
  const auto& clock = meta_.value("clock", nlohmann::json::object());
  const auto& measured = clock.value("measurements", nlohmann::json::array());
  if (measured.empty()) {
    return base::Error{"the recorder could not compare its clock with the agent's",
                       "give the instant with --at", base::Exit::failed};
  }
  const auto& offset = measured.back();
  out.wall_ns = host_wall_ns + offset.value("wall_offset_ns", std::int64_t{0});
  // The boot clock was compared with that of the machine that records: it says nothing of another one.
  if (offset.contains("boot_offset_ns") && clock.value("host_boot_id", std::string()) == host_boot_id()) {
    out.boot_ns = host_boot_ns + offset.value("boot_offset_ns", std::int64_t{0});
  }
  const auto& first = meta_.value("first", nlohmann::json::object());
  out.axis_ns = out.boot_ns ? *out.boot_ns - first.value("boot_ns", std::int64_t{0})
                            : out.wall_ns - first.value("wall_ns", std::int64_t{0});
  return out;
}

base::Result<void> RecordingView::read_axis() {
  if (have_axis_) return {};
  base::Result<plot::RecordingIndex> index = plot::index_recording(data_);
  if (!index.ok()) return std::move(index).error();
  timeline_ = std::move(index->timeline);
  bool any = false;
  for_each_head(data_, [&](const plot::SampleHead& head) {
    if (!any) first_ = head;
    last_ = head;
    any = true;
    return true;
  });
  if (!any) return base::Error{fmt::format("{} holds no sample", data_), "", base::Exit::no_data};
  have_axis_ = true;
  return {};
}

Instant RecordingView::instant(std::int64_t axis_ns) const {
  Instant out;
  out.axis_ns = axis_ns;
  out.wall_ns = timeline_.to_wall(axis_ns);
  // Over a reboot the boot clock begins again; the wall clock then places the marker.
  if (timeline_.boots() <= 1) out.boot_ns = first_.boot_ns + axis_ns;
  return out;
}

base::Result<std::int64_t> RecordingView::end_axis() {
  if (!running_) return timeline_.last();
  const base::Result<Instant> present = now();
  if (!present.ok()) return present.error();
  return std::max(present->axis_ns, timeline_.last());
}

base::Result<std::string> RecordingView::span() {
  base::Result<void> ready = read_axis();
  if (!ready.ok()) return std::move(ready).error();
  const base::Result<std::int64_t> end = end_axis();
  if (!end.ok()) return end.error();
  return fmt::format("it spans 0s to {} ({} to {}, seq {} to {})", base::format_duration(*end),
                     base::format_utc(timeline_.to_wall(0)), base::format_utc(timeline_.to_wall(*end)),
                     first_.seq, last_.seq);
}

base::Result<Span> RecordingView::wall_span() {
  base::Result<void> ready = read_axis();
  if (!ready.ok()) return std::move(ready).error();
  const base::Result<std::int64_t> end = end_axis();
  if (!end.ok()) return end.error();
  return Span{timeline_.to_wall(0), timeline_.to_wall(*end)};
}

base::Result<Instant> RecordingView::at_wall(std::int64_t wall_ns) {
  base::Result<void> ready = read_axis();
  if (!ready.ok()) return std::move(ready).error();
  return instant(timeline_.from_wall(wall_ns));
}

std::optional<std::int64_t> RecordingView::gmt_offset_s() const {
  const auto router = meta_.find("router");
  if (router == meta_.end() || !router->is_object()) return std::nullopt;
  const auto offset = router->find("gmt_offset_s");
  return offset != router->end() && offset->is_number_integer() ? std::optional(offset->get<std::int64_t>())
                                                                : std::nullopt;
}

base::Result<std::int64_t> RecordingView::axis_of_seq(std::uint64_t seq) {
  std::optional<std::int64_t> found;
  plot::AxisCursor cursor;
  for_each_head(data_, [&](const plot::SampleHead& head) {
    const std::optional<std::int64_t> axis = cursor.place(head);
    if (head.seq == seq) found = axis;
    return !found;
  });
  if (found) return *found;
  const base::Result<std::string> where = span();
  return base::Error{fmt::format("there is no sample {} in the recording: {}", seq,
                                 where.ok() ? *where : "it cannot be read"),
                     "", base::Exit::refused};
}

base::Result<Instant> RecordingView::at(std::string_view text, const Instant* base) {
  base::Result<void> ready = read_axis();
  if (!ready.ok()) return std::move(ready).error();
  const base::Result<std::int64_t> end = end_axis();
  if (!end.ok()) return end.error();
  const std::string_view word = base::trim(text);
  std::int64_t axis = 0;
  std::int64_t of_day = 0;
  std::uint64_t seq = 0;
  const auto duration_after = [&](std::string_view rest, std::int64_t from, int sign) -> bool {
    const base::Result<std::int64_t> d = base::parse_duration(rest);
    if (!d.ok()) return false;
    axis = from + sign * *d;
    return true;
  };
  if (word.starts_with("seq:")) {
    if (!base::parse_u64(word.substr(4), seq)) return no_instant(text);
    const base::Result<std::int64_t> found = axis_of_seq(seq);
    if (!found.ok()) return found.error();
    axis = *found;
  } else if (word == "start" || word == "end") {
    axis = word == "end" ? *end : 0;
  } else if (word.starts_with("end-")) {
    if (!duration_after(word.substr(4), *end, -1)) return no_instant(text);
  } else if (word.starts_with("-")) {
    if (!duration_after(word.substr(1), *end, -1)) return no_instant(text);
  } else if (word.starts_with("+")) {
    if (!duration_after(word.substr(1), base != nullptr ? base->axis_ns : 0, 1)) return no_instant(text);
  } else if (base::parse_time_of_day(word, of_day)) {
    // Of the days around the recording, the one that comes nearest to it.
    const std::int64_t start_wall = timeline_.to_wall(0);
    const std::int64_t middle = start_wall + *end / 2;
    const std::int64_t day = start_wall - start_wall % kDayNs;
    std::int64_t best = INT64_MAX;
    for (std::int64_t d = -1; d <= 2 + *end / kDayNs; ++d) {
      const std::int64_t wall = day + d * kDayNs + of_day;
      const std::int64_t distance = wall > middle ? wall - middle : middle - wall;
      if (distance >= best) continue;
      best = distance;
      axis = timeline_.from_wall(wall);
    }
  } else if (!duration_after(word, 0, 1)) {
    const base::Result<std::int64_t> wall = base::parse_rfc3339(word);
    if (!wall.ok()) return no_instant(text);
    axis = timeline_.from_wall(*wall);
  }
  if (axis < 0 || axis > *end) {
    const base::Result<std::string> where = span();
    return base::Error{fmt::format("{} lies outside the recording: {}", word, where.ok() ? *where : ""),
                       "an instant within it", base::Exit::refused};
  }
  return instant(axis);
}

std::optional<double> RecordingView::axis_s(std::optional<std::int64_t> boot_ns, std::int64_t wall_ns) {
  if (!read_axis().ok()) return std::nullopt;
  const std::int64_t axis = boot_ns ? timeline_.from_boot(*boot_ns, wall_ns) : timeline_.from_wall(wall_ns);
  return static_cast<double>(axis) / 1e9;
}

}  // namespace mikroscope::cli
