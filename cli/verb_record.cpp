#include <fmt/format.h>

#include <cstdio>

#include "base/clock.h"
#include "base/host/duration.h"
#include "base/host/utc.h"
#include "cli/log_markers.h"
#include "cli/parser.h"
#include "cli/recorder.h"
#include "cli/verb.h"
#include "plot/recover.h"

namespace mikroscope::cli {
namespace {

constexpr std::int64_t kMs = 1'000'000;

class Record final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    target_.declare(set);
    set.duration({.names = "--for",
                  .group = "Time",
                  .value = "D",
                  .help = "how long to record: 90, 90s, 3m, 1m30s, 1h; without it until Ctrl-C"},
                 for_ns_);
    set.flag({.names = "--from-start",
              .group = "Time",
              .help = "begin with what the agent still remembers, then go on live"},
             from_start_);
    set.duration({.names = "--poll",
                  .group = "Time",
                  .value = "D",
                  .help = "how often to ask the agent",
                  .default_text = "500ms"},
                 poll_ns_);
    set.text({.names = "-o,--out",
              .group = "Output",
              .value = "X",
              .help = "prefix of the files X.jsonl, X.csv, X.markers.csv and X.meta.json",
              .default_text = "capture-<UTC>"},
             out_);
    set.flag({.names = "--force", .group = "Output", .help = "replace a recording of that name"}, force_);
    set.text({.names = "--csv",
              .group = "Output",
              .value = "COLUMNS",
              .help = "columns of X.csv: all, none, or a list such as busy_total,cpu.user,mem",
              .default_text = "all"},
             csv_);
    set.flag({.names = "--fetch-captures",
              .group = "Output",
              .help = "save the agent's captures of triggers that fire meanwhile, as X.capture-<id>.jsonl"},
             fetch_captures_);
    set.flag(
        {.names = "-q,--quiet", .group = "Output", .help = "no status, no summary; warnings and errors only"},
        quiet_);
    set.flag({.names = "--json", .group = "Output", .help = "the summary as a JSON object"}, json_);
    set.text({.names = "--markers-from",
              .group = "Markers",
              .value = "SOURCE",
              .help = "lines that become markers: - (standard input), the path of a FIFO, or none",
              .default_text = "the terminal"},
             markers_from_);
    log_markers_.declare(set);
    set.text({.names = "--recover",
              .group = "Other",
              .value = "X",
              .help = "complete the recording X whose recorder was killed; needs no target"},
             recover_);
  }

  base::Result<base::Exit> run(const Invocation& invocation) override {
    const base::Result<plot::CsvSelection> csv = plot::CsvSelection::parse(csv_);
    if (!csv.ok()) {
      base::Error error = csv.error();
      error.what = "--csv: " + error.what;
      return error;
    }
    if (!recover_.empty()) return recover(*csv);
    if (for_ns_ && *for_ns_ == 0)
      return base::Error{"--for: 0 is no time to record", "--for 10s", base::Exit::usage};
    if (poll_ns_ && (*poll_ns_ < 20 * kMs || *poll_ns_ > 60'000 * kMs)) {
      return base::Error{"--poll: between 20ms and 60s", "--poll 500ms", base::Exit::usage};
    }
    base::Result<void> good = target_.check();
    if (!good.ok()) return std::move(good).error();
    if (log_markers_.wanted && !target_.is_router()) {
      return base::Error{"--log-markers reads a router's log: it needs --router",
                         "add --router NAME, or leave it out", base::Exit::usage};
    }
    const std::string prefix =
        out_.empty() ? "capture-" + base::format_utc_compact(base::wall_ns()) : plot::prefix_of(out_);
    // Files before connections: what cannot be written is not worth asking for.
    base::Result<std::unique_ptr<plot::RecordingWriter>> writer =
        plot::RecordingWriter::create({prefix, force_, *csv});
    if (!writer.ok()) return std::move(writer).error();
    StopSignals signals;
    base::Result<Target> target = target_.open(signals.fd());
    if (!target.ok()) return std::move(target).error();
    base::Result<std::unique_ptr<MarkerInput>> markers = MarkerInput::open(markers_from_);
    if (!markers.ok()) return std::move(markers).error();
    StatusLine status(stderr, quiet_);

    RecorderOptions options;
    options.for_ns = for_ns_;
    options.from_start = from_start_;
    options.fetch_captures = fetch_captures_;
    options.quiet = quiet_;
    options.poll_ns = poll_ns_.value_or(options.poll_ns);
    options.argv = invocation.argv;
    Recorder recorder(options, *target, **writer, **markers, signals, status);
    const base::Result<base::Exit> exit = recorder.run();
    if (!exit.ok()) return exit;
    nlohmann::ordered_json summary = recorder.summary();
    const std::string summary_text = recorder.summary_text();  // the recorder needs its link for it
    if (log_markers_.wanted) {
      const base::Result<LogMarkers> added = add_from_log(*target, prefix, signals.fd());
      if (added.ok()) {
        summary["log_markers"] = added->added;
        if (!quiet_ && !json_) fmt::print("{}\n", describe(*added));
      } else {
        print_error("record",
                    {fmt::format("log markers: {}; the recording itself is complete", added.error().what),
                     fmt::format("mikroscope mark --out {} --log-markers {}", prefix, target->flags())});
      }
    }
    if (json_) {
      std::fputs((summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n").c_str(),
                 stdout);
    } else if (!quiet_) {
      std::fputs(summary_text.c_str(), stdout);
    }
    return exit;
  }

 private:
  // The finished recording, over the session that was opened at the start.
  base::Result<LogMarkers> add_from_log(Target& target, const std::string& prefix, int stop_fd) const {
    target.link.reset();  // the relay is done with the session
    target.router->interrupt_on(stop_fd);
    base::Result<RecordingView> view = RecordingView::open(prefix);
    if (!view.ok()) return std::move(view).error();
    return with_session(*target.router, [&](routeros::Session& session) -> base::Result<LogMarkers> {
      const base::Result<RouterFacts> facts = read_router_facts(session, target.code_page);
      if (!facts.ok()) return facts.error();
      return add_log_markers(session, *facts, log_markers_, target.code_page, *view);
    });
  }

  base::Result<base::Exit> recover(const plot::CsvSelection& csv) const {
    const std::string prefix = plot::prefix_of(recover_);
    const base::Result<plot::Recovered> done = plot::recover_recording(prefix, csv);
    if (!done.ok()) return done.error();
    if (json_) {
      const nlohmann::ordered_json json{{"samples", done->samples},     {"gaps", done->gaps},
                                        {"restarts", done->restarts},   {"markers", done->markers},
                                        {"malformed", done->malformed}, {"cut_bytes", done->cut_bytes},
                                        {"covered_s", done->covered_s}};
      std::fputs((json.dump(2) + "\n").c_str(), stdout);
      return base::Exit::ok;
    }
    fmt::print("recovered {} samples over {:.1f} s: {} gap(s), {} restart(s), {} marker(s)\n", done->samples,
               done->covered_s, done->gaps, done->restarts, done->markers);
    if (done->cut_bytes != 0)
      fmt::print("  a last line without its end was cut off ({} bytes)\n", done->cut_bytes);
    if (done->malformed != 0)
      fmt::print("  {} line(s) could not be read and were skipped\n", done->malformed);
    fmt::print("draw it: mikroscope plot {}\n", prefix);
    return base::Exit::ok;
  }

  TargetOptions target_;
  LogMarkerOptions log_markers_;
  std::optional<std::int64_t> for_ns_;
  std::optional<std::int64_t> poll_ns_;
  bool from_start_ = false;
  bool force_ = false;
  bool fetch_captures_ = false;
  bool quiet_ = false;
  bool json_ = false;
  std::string out_;
  std::string csv_ = "all";
  std::string markers_from_;
  std::string recover_;
};

constexpr Example kExamples[] = {
    {"record --local --for 10s --out demo", "ten seconds of this machine into demo.jsonl, demo.csv, …"},
    {"record --url http://192.168.88.1:9123 --for 3m --out update",
     "a router's agent; type lines to set markers"},
    {"record --router home --for 3m --log-markers",
     "the agent that install put there, with the lines of the router's log as markers"},
    {"record --local --rate 100 --csv none", "100 samples a second until Ctrl-C, without the CSV"},
    {"record --local --for 1m --markers-from - < events", "each line that comes in becomes a marker"},
    {"record --recover demo", "complete the files of a recording whose recorder was killed"},
};

}  // namespace

const Verb kRecordVerb{
    "record",
    "record samples and markers into files",
    "Samples are kept as they come, flushed to the disk every second; the files get their names at the end. "
    "Gaps, restarts of "
    "the agent and steps of its clock are noted in the files and as markers.\n"
    "Lines typed on the terminal become markers at the instant they are entered; mikroscope mark sets them "
    "from elsewhere.\n"
    "The first Ctrl-C ends the recording in order (exit code 0 when it holds samples); a second one ends at "
    "once (130).",
    kExamples,
    make_verb<Record>,
};

}  // namespace mikroscope::cli
