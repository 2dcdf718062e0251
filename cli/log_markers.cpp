#include "cli/log_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "plot/markers.h"
#include "routeros/session/value.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kSecond = base::kNsPerSecond;
constexpr std::size_t kMaxPrefix = 24;

// "[INFO]: text" of a logging action with a prefix.
std::string_view without_prefix(std::string_view text) {
  if (text.empty() || text.front() != '[') return text;
  const std::size_t end = text.find("]: ");
  return end != std::string_view::npos && end < kMaxPrefix ? text.substr(end + 3) : text;
}

bool has_topic(const LogLine& line, const std::vector<std::string_view>& wanted) {
  if (wanted.empty()) return true;
  for (const std::string_view topic : routeros::split_list(line.topics)) {
    if (std::find(wanted.begin(), wanted.end(), topic) != wanted.end()) return true;
  }
  return false;
}

std::string label_of(const LogLine& line) {
  return fmt::format("{}: {}", line.topics, line.text);
}

std::string offset_text(std::int64_t offset_s) {
  const std::int64_t minutes = std::llabs(offset_s) / 60;
  return fmt::format("UTC{}{:02}:{:02}", offset_s < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

}  // namespace

void LogMarkerOptions::declare(OptionSet& set) {
  set.flag({.names = "--log-markers",
            .group = "Markers",
            .help = "lines of the router's log become markers (needs --router)"},
           wanted);
  set.text({.names = "--topics",
            .group = "Markers",
            .value = "LIST",
            .help = "with --log-markers: topics of the log, separated by commas; \"\" takes all",
            .default_text = "system,interface,container"},
           topics);
}

std::optional<LogLine> log_line(std::string_view time, std::string_view topics, std::string_view message,
                                std::int64_t offset_s, std::int64_t now_ns, routeros::CodePage code_page) {
  const std::optional<std::int64_t> local = parse_router_time(time, now_ns + offset_s * kSecond);
  if (!local) return std::nullopt;
  return LogLine{*local - offset_s * kSecond, routeros::printable(topics, code_page),
                 routeros::printable(without_prefix(message), code_page)};
}

std::vector<LogLine> choose_log_lines(std::vector<LogLine> lines, std::string_view topics,
                                      std::int64_t from_ns, std::int64_t to_ns) {
  const std::vector<std::string_view> wanted = routeros::split_list(topics);
  std::vector<LogLine> out;
  for (LogLine& line : lines) {
    if (line.wall_ns < from_ns || line.wall_ns > to_ns || !has_topic(line, wanted)) continue;
    if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(std::move(line));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LogLine& a, const LogLine& b) { return a.wall_ns < b.wall_ns; });
  return out;
}

base::Result<LogMarkers> add_log_markers(routeros::Session& session, const RouterFacts& facts,
                                         const LogMarkerOptions& options, routeros::CodePage code_page,
                                         RecordingView& view) {
  const std::optional<std::int64_t> offset = view.gmt_offset_s() ? view.gmt_offset_s() : facts.gmt_offset_s;
  if (!offset) {
    return base::Error{fmt::format("{} does not say in which zone its clock is", session.router()),
                       "the account needs the policy read for /system/clock", base::Exit::failed};
  }
  const base::Result<Span> span = view.wall_span();
  if (!span.ok()) return span.error();
  routeros::Answer<std::vector<routeros::Row>> rows =
      session.print({"/log", {"time", "topics", "message"}, {}});
  if (!rows.ok()) return routeros::to_error(rows.error(), session.router());

  LogMarkers out;
  out.zone = offset_text(*offset);
  if (!facts.zone.empty()) out.zone = facts.zone + ", " + out.zone;
  // The log knows whole seconds: the lines of the first second may lie before the first sample, those of the
  // last one after the last. All are kept, since none of them can be told from one that belongs.
  out.from_ns = span->from_wall_ns - span->from_wall_ns % kSecond;
  out.to_ns = span->to_wall_ns;
  std::vector<LogLine> lines;
  const std::int64_t now_ns = facts.wall_ns.value_or(base::wall_ns());
  for (const routeros::Row& row : *rows) {
    std::optional<LogLine> line =
        log_line(row.text("time"), row.text("topics"), row.text("message"), *offset, now_ns, code_page);
    if (!line) {
      ++out.undated;
    } else {
      lines.push_back(std::move(*line));
    }
  }
  const base::Result<plot::MarkerFile> there = plot::load_markers(view.paths().markers());
  if (!there.ok()) return there.error();
  for (const LogLine& line : choose_log_lines(std::move(lines), options.topics, out.from_ns, out.to_ns)) {
    const std::string label = label_of(line);
    const bool known = std::any_of(there->markers.begin(), there->markers.end(), [&](const plot::Marker& m) {
      return m.kind == "log" && m.label == label && m.wall_ns == line.wall_ns;
    });
    if (known) {
      ++out.known;
      continue;
    }
    base::Result<Instant> at = view.at_wall(std::max(line.wall_ns, span->from_wall_ns));
    if (!at.ok()) return std::move(at).error();
    plot::Marker marker;
    marker.wall_ns = line.wall_ns;
    marker.boot_ns = at->boot_ns;
    marker.kind = "log";
    marker.label = label;
    base::Result<void> added = plot::append_marker(view.paths().markers(), marker);
    if (!added.ok()) return std::move(added).error();
    ++out.added;
  }
  return out;
}

std::string describe(const LogMarkers& m) {
  std::string out =
      fmt::format("{} log marker{} added ({} to {}, router's zone {})", m.added, m.added == 1 ? "" : "s",
                  base::format_utc(m.from_ns), base::format_utc(m.to_ns), m.zone);
  if (m.known != 0) out += fmt::format(", {} there already", m.known);
  if (m.undated != 0) out += fmt::format(", {} without a readable time", m.undated);
  return out;
}

}  // namespace mikroscope::cli
