// The recorder's reports: status line, meta file, captures, summary.
#include <fmt/format.h>

#include <cmath>

#include "base/clock.h"
#include "base/host/duration.h"
#include "base/host/files.h"
#include "base/host/utc.h"
#include "cli/recorder.h"
#include "proc/reader/derived.h"

namespace mikroscope::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view ended_by_name(EndedBy by) {
  switch (by) {
    case EndedBy::duration:
      return "duration";
    case EndedBy::signal:
      return "signal";
    case EndedBy::second_signal:
      return "second signal";
    case EndedBy::error:
      break;
  }
  return "error";
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} kB", std::ceil(bytes / 1e3));
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6) : fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::optional<std::int64_t> value_of(const proc::Frame& frame, std::string_view table,
                                     std::string_view column) {
  const int t = frame.layout->find(table);
  if (t < 0) return std::nullopt;
  const int c = frame.layout->tables[t].schema->column(column);
  return c < 0 ? std::nullopt : frame.cell(static_cast<std::uint32_t>(t), 0, static_cast<std::uint32_t>(c));
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// Values of --agent-env may be secrets.
std::vector<std::string> without_secrets(std::vector<std::string> argv) {
  for (std::string& word : argv) {
    const std::size_t token = word.find("TOKEN=");
    if (token != std::string::npos) word = word.substr(0, token + 6) + "…";
  }
  return argv;
}

}  // namespace

void Recorder::look_at(const proc::Frame& frame) {
  if (!first_live_boot_ns_) {
    // With --from-start the backfill is extra: the span counts from the first sample after the start.
    const std::optional<AgentInstant> start =
        clock_.map(base::boot_ns() - (base::monotonic_ns() - started_ns_),
                   base::wall_ns() - (base::monotonic_ns() - started_ns_));
    const bool live =
        !options_.from_start || !start || !start->boot_ns || frame.head.boot_ns > *start->boot_ns;
    if (live) first_live_boot_ns_ = frame.head.boot_ns - frame.head.dt_ns;
  }
  if (health_.rate_hz != 0 && frame.head.dt_ns > 0) {
    const double periods = static_cast<double>(frame.head.dt_ns) * health_.rate_hz / 1e9;
    if (periods >= 1.5) missed_ticks_ += static_cast<std::uint64_t>(std::lround(periods)) - 1;
  }
  cpu_now_ = memory_now_ = "";
  if (const auto busy = proc::busy_total(frame)) cpu_now_ = fmt::format("{:.0f} %", *busy * 100);
  const auto total = value_of(frame, "mem", "total_kb");
  const auto available = value_of(frame, "mem", "available_kb");
  if (total && available) {
    memory_now_ = fmt::format("{:.0f}/{:.0f} MiB", static_cast<double>(*total - *available) / 1024,
                              static_cast<double>(*total) / 1024);
  }
}

void Recorder::show_status(std::int64_t now) {
  const std::int64_t elapsed = now - started_ns_;
  std::string out = "rec " + base::format_clock(elapsed);
  if (options_.for_ns) out += "/" + base::format_clock(*options_.for_ns);
  out += fmt::format("  {}", counted(tally_.samples(), "sample"));
  const std::int64_t covered = tally_.covered_ns();
  if (covered > 0)
    out += fmt::format("  {:.1f} Hz",
                       static_cast<double>(tally_.samples()) * 1e9 / static_cast<double>(covered));
  out += "  " + counted(tally_.gaps().size(), "gap") + fmt::format("  {} missed", missed_ticks_);
  if (tally_.restarts() != 0) out += "  " + counted(tally_.restarts(), "restart");
  if (stalled_) {
    out += fmt::format("  STALLED {}", base::format_clock(now - last_sample_ns_));
  } else {
    if (!cpu_now_.empty()) out += "  cpu " + cpu_now_;
    if (!memory_now_.empty()) out += "  mem " + memory_now_;
  }
  if (signals_.resumed() != resumed_) {
    resumed_ = signals_.resumed();
    status_.start_anew();
  }
  if (!last_marker_.empty()) out += "  last: " + last_marker_;
  status_.update(out, now);
}

Json Recorder::make_meta() const {
  Json out;
  out["format"] = 1;
  out["program"] = "mikroscope " MIKROSCOPE_VERSION;
  out["complete"] = false;
  out["argv"] = without_secrets(options_.argv);
  out["target"] = {{"kind", target_.kind}, {"url", target_.url}};
  if (target_.kind == "router") {
    out["target"]["router"] = target_.router_name;
    out["target"]["transport"] = target_.transport;
  }
  if (target_.facts) out["router"] = target_.facts->json();
  out["agent"] = {{"version", health_.version},
                  {"board", health_.board},
                  {"rate_hz", health_.rate_hz},
                  {"instance", cursor_.instance},
                  {"boot_id", boot_id_}};
  out["started_utc"] = base::format_utc(started_wall_ns_, 3);
  tally_.write(out);
  out["missed_ticks"] = missed_ticks_;
  out["clock"] = {{"host_boot_id", host_boot_id()}, {"measurements", clock_.json()}};
  if (writer_.has_csv()) {
    out["csv"] = {{"columns", writer_.csv_columns()}, {"rows_not_in_csv", writer_.csv_late_rows()}};
  }
  const auto capabilities = Json::parse(capabilities_, nullptr, false);
  if (capabilities.is_object()) out["capabilities"] = capabilities;
  return out;
}

void Recorder::fetch_captures(bool last_call) {
  for (auto it = wanted_captures_.begin(); it != wanted_captures_.end();) {
    const std::uint64_t id = *it;
    std::string body;
    const base::Result<void> got = link_.capture(id, [&body](const Line& line) -> base::Result<void> {
      body += line.text;
      return {};
    });
    const bool complete =
        got.ok() && body.substr(0, body.find('\n')).find("\"complete\":false") == std::string::npos;
    if (!complete && !last_call) {
      ++it;  // its window is still open: asked for again later
      continue;
    }
    it = wanted_captures_.erase(it);
    if (!got.ok()) {
      status_.warning(fmt::format("capture {} could not be fetched: {}", id, got.error().what));
      continue;
    }
    const std::string path = writer_.paths().capture(id);
    const base::Result<void> saved = base::replace_file(path, body);
    if (saved.ok()) {
      captures_saved_.push_back(path);
      if (!complete) status_.warning(fmt::format("capture {} was not complete yet when it was fetched", id));
    } else {
      status_.warning(saved.error().what);
    }
  }
}

base::Result<base::Exit> Recorder::complete(const base::Result<void>& outcome) {
  ended_wall_ns_ = base::wall_ns();
  base::Result<void> failure = outcome;
  if (!failure.ok() && failure.error().exit == base::Exit::interrupted) {
    failure = {};
    ended_by_ = EndedBy::signal;
  }
  if (!failure.ok()) ended_by_ = EndedBy::error;
  if (tally_.samples() == 0) {
    status_.finish();
    writer_.discard();
    if (!failure.ok()) return failure.error();
    return base::Error{
        fmt::format("no samples came from {} in {}; nothing was kept", link_.describe(),
                    base::format_duration(started_ns_ == 0 ? 0 : base::monotonic_ns() - started_ns_)),
        "mikroscope status " + target_.flags(), base::Exit::no_data};
  }
  if (options_.fetch_captures && ended_by_ != EndedBy::second_signal && failure.ok()) fetch_captures(true);
  show_status(base::monotonic_ns());
  status_.finish();
  meta_ = make_meta();
  meta_["ended_utc"] = base::format_utc(ended_wall_ns_, 3);
  meta_["ended_by"] = ended_by_name(ended_by_);
  meta_["complete"] = failure.ok() && ended_by_ != EndedBy::second_signal;
  if (!failure.ok()) meta_["error"] = failure.error().what;
  const base::Result<plot::MarkerFile> markers = plot::load_markers(writer_.paths().markers());
  meta_["markers"] = markers.ok() ? markers->markers.size() : 0;
  meta_["captures"] = captures_saved_;
  // After a second Ctrl-C nothing is worth waiting for, and a long file takes a while to hash.
  if (ended_by_ != EndedBy::second_signal) {
    const base::Result<std::string> hash = writer_.hash();
    if (hash.ok()) {
      meta_["jsonl_sha256"] = *hash;
    } else if (failure.ok()) {
      failure = hash.error();
    }
  }
  meta_["jsonl_bytes"] = writer_.jsonl_bytes();
  base::Result<void> finished = writer_.finish(dump(meta_));
  meta_.erase("capabilities");
  if (failure.ok() && !finished.ok()) failure = finished;
  if (!failure.ok()) {
    base::Error error = failure.error();
    error.what += fmt::format("; {} until then are kept in {}", counted(tally_.samples(), "sample"),
                              writer_.paths().jsonl());
    return error;
  }
  return ended_by_ == EndedBy::second_signal ? base::Exit::interrupted : base::Exit::ok;
}

std::string Recorder::summary_text() const {
  const proc::TickHeader& first = *tally_.first_of_all();
  const proc::TickHeader& last = *tally_.last_of_all();
  // Each instance counts from 1: over several the numbers are no range.
  const std::size_t instances = tally_.segments().size();
  const std::string which = instances > 1 ? fmt::format("{} instances of the agent", instances)
                                          : fmt::format("seq {}..{}", first.seq, last.seq);
  const std::uint64_t markers = meta_.value("markers", std::uint64_t{0});
  std::string out =
      fmt::format("recorded {} in {} ({}): {}, {}, {}, {} from {}\n", counted(tally_.samples(), "sample"),
                  base::format_duration(tally_.covered_ns() / 100'000'000 * 100'000'000 +
                                        (tally_.covered_ns() % 100'000'000 >= 50'000'000 ? 100'000'000 : 0)),
                  which, counted(tally_.gaps().size(), "gap"), counted(tally_.restarts(), "restart"),
                  counted(missed_ticks_, "missed tick"), counted(markers, "marker"), link_.describe());
  std::size_t listed = 0;
  for (const plot::LostSamples& g : tally_.gaps()) {
    if (listed++ == 10) {
      out += fmt::format("  … and {} more gaps, all in the meta file\n", tally_.gaps().size() - 10);
      break;
    }
    out += fmt::format("  gap: samples {}..{} were no longer in the agent's ring\n", g.from, g.to);
  }
  if (tally_.malformed() != 0)
    out += fmt::format("  {} of the agent's could not be read\n", counted(tally_.malformed(), "line"));
  if (!writer_.csv_late_rows().empty()) {
    out += fmt::format(
        "  {} appeared later and are in the .jsonl only: {}\n",
        counted(writer_.csv_late_rows().size(), "row"),
        fmt::join(writer_.csv_late_rows().begin(),
                  writer_.csv_late_rows().begin() +
                      static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, writer_.csv_late_rows().size())),
                  ", "));
  }
  const plot::RecordingPaths& paths = writer_.paths();
  out += fmt::format("  {}  {}\n", paths.jsonl(), bytes_text(static_cast<double>(writer_.jsonl_bytes())));
  if (base::exists(paths.csv())) out += fmt::format("  {}\n", paths.csv());
  out += fmt::format("  {}\n  {}\n", paths.markers(), paths.meta());
  for (const std::string& path : captures_saved_) out += fmt::format("  {}\n", path);
  if (!options_.fetch_captures && tally_.triggers() != 0) {
    out += fmt::format("  {}: their captures are on the agent; --fetch-captures saves them\n",
                       counted(tally_.triggers(), "trigger"));
  }
  return out + fmt::format("draw it: mikroscope plot {}\n", paths.prefix);
}

}  // namespace mikroscope::cli
