#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/host/duration.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "cli/log_markers.h"
#include "cli/recording_view.h"
#include "cli/router_connection.h"
#include "cli/router_options.h"
#include "cli/signals.h"
#include "cli/verb.h"
#include "plot/markers.h"
#include "plot/recording_writer.h"

namespace mikroscope::cli {
namespace {

// Kinds that the recorder sets where it finds the thing itself.
constexpr std::string_view kOwnKinds[] = {"gap", "restart", "trigger", "log", "clock-step"};

base::Error usage_error(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class Mark final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.texts({.names = "text",
               .group = "Marker",
               .value = "TEXT",
               .help = "the label, in as many words as you like"},
              words_);
    set.text({.names = "-o,--out",
              .group = "Target",
              .value = "X",
              .help = "prefix of the recording, as given to record"},
             out_);
    set.text({.names = "--at",
              .group = "Time",
              .value = "T",
              .help = "when: 12.5s (after the first sample), -3s (ago; before the end of a finished "
                      "recording), end-5s, "
                      "seq:42, 14:03:20.5 or 2026-09-12T14:03:20Z (UTC)",
              .default_text = "now"},
             at_);
    set.text({.names = "--until",
              .group = "Time",
              .value = "T",
              .help = "makes it an interval that ends then; +5s counts from --at"},
             until_);
    set.text({.names = "--kind",
              .group = "Marker",
              .value = "KIND",
              .help = "note, start, stop, phase, write, done, neutral, or a word of your own",
              .default_text = "note"},
             kind_);
    log_markers_.declare(set);
    router_.declare(set, RouterHelp::brief);
    set.flag({.names = "--list", .group = "Other", .help = "list the markers with their numbers"}, list_);
    set.integer({.names = "--delete", .group = "Other", .value = "N", .help = "delete marker N of --list"},
                delete_, 1, 1'000'000'000);
    set.flag({.names = "--json", .group = "Output", .help = "as JSON"}, json_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (out_.empty())
      return usage_error("--out is missing: which recording?", "mikroscope mark --out X \"text\"");
    const std::string text(base::trim(fmt::format("{}", fmt::join(words_, " "))));
    if (list_ && delete_) return usage_error("--list and --delete exclude each other", "");
    if (log_markers_.wanted) {
      if (list_ || delete_ || !text.empty()) {
        return usage_error("--log-markers sets the markers of the log: it takes no text, --list or --delete",
                           fmt::format("mikroscope mark --out {} --log-markers --router NAME", out_));
      }
      base::Result<void> good = router_.check();
      if (!good.ok()) return std::move(good).error();
      base::Result<RecordingView> recording = RecordingView::open(plot::prefix_of(out_));
      if (!recording.ok()) return std::move(recording).error();
      return from_log(*recording);
    }
    if ((list_ || delete_) && !text.empty()) return usage_error("--list and --delete take no text", "");
    if (!list_ && !delete_ && text.empty()) {
      return usage_error("the marker has no text",
                         fmt::format("mikroscope mark --out {} \"writes begin\"", out_));
    }
    base::Result<void> kind = check_kind();
    if (!kind.ok()) return std::move(kind).error();
    base::Result<RecordingView> view = RecordingView::open(plot::prefix_of(out_));
    if (!view.ok()) return std::move(view).error();
    if (list_) return list(*view);
    if (delete_) return remove(*view);
    return set(*view, text);
  }

 private:
  base::Result<void> check_kind() const {
    const bool plain = !kind_.empty() && std::all_of(kind_.begin(), kind_.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    });
    if (!plain)
      return usage_error(fmt::format("--kind: \"{}\" must be of a-z, 0-9 and -", kind_), "--kind phase");
    if (std::find(std::begin(kOwnKinds), std::end(kOwnKinds), kind_) != std::end(kOwnKinds)) {
      return usage_error(fmt::format("--kind: {} is what the recorder sets itself", kind_), "--kind note");
    }
    return {};
  }

  base::Result<base::Exit> set(RecordingView& view, const std::string& text) const {
    Instant when;
    if (!at_.empty()) {
      base::Result<Instant> given = view.at(at_);
      if (!given.ok()) return std::move(given).error();
      when = *given;
    } else if (view.running()) {
      base::Result<Instant> now = view.now();
      if (!now.ok()) return std::move(now).error();
      when = *now;
    } else {
      const base::Result<std::string> span = view.span();
      return base::Error{
          fmt::format("now lies outside the recording, which is finished: {}", span.ok() ? *span : ""),
          fmt::format("mikroscope mark --out {} --at end-1s \"{}\"", out_, text), base::Exit::refused};
    }
    plot::Marker marker;
    marker.wall_ns = when.wall_ns;
    marker.boot_ns = when.boot_ns;
    marker.kind = kind_;
    marker.label = text;
    if (!until_.empty()) {
      base::Result<Instant> end = view.at(until_, &when);
      if (!end.ok()) return std::move(end).error();
      if (end->axis_ns < when.axis_ns) return usage_error("--until comes before --at", "swap them");
      if (!end->boot_ns) {
        return base::Error{"an interval cannot be set in a recording over a reboot", "set two markers",
                           base::Exit::refused};
      }
      marker.until_boot_ns = end->boot_ns;
    }
    base::Result<void> added = plot::append_marker(view.paths().markers(), marker);
    if (!added.ok()) return std::move(added).error();
    const double at_s = static_cast<double>(when.axis_ns) / 1e9;
    if (json_) {
      std::fputs(
          json_text({{"at_s", at_s}, {"wall_ns", when.wall_ns}, {"kind", kind_}, {"label", text}}).c_str(),
          stdout);
    } else {
      fmt::print("{} at {:.3f} s ({}): {}\n", kind_, at_s, base::format_utc(when.wall_ns), text);
    }
    return base::Exit::ok;
  }

  base::Result<base::Exit> from_log(RecordingView& view) const {
    const StopSignals signals;
    RouterConnection connection(nullptr, [this](int fd) { return router_.connect(fd); });
    connection.interrupt_on(signals.fd());
    const base::Result<routeros::Session*> session = connection.session();
    if (!session.ok()) return session.error();
    const base::Result<RouterFacts> facts = read_router_facts(**session, router_.code_page());
    if (!facts.ok()) return facts.error();
    const base::Result<LogMarkers> added =
        add_log_markers(**session, *facts, log_markers_, router_.code_page(), view);
    if (!added.ok()) return added.error();
    if (json_) {
      std::fputs(json_text({{"added", added->added},
                            {"known", added->known},
                            {"undated", added->undated},
                            {"from_utc", base::format_utc(added->from_ns)},
                            {"to_utc", base::format_utc(added->to_ns)},
                            {"zone", added->zone}})
                     .c_str(),
                 stdout);
    } else {
      fmt::print("{}\n", describe(*added));
    }
    return base::Exit::ok;
  }

  base::Result<base::Exit> list(RecordingView& view) const {
    const base::Result<plot::MarkerFile> file = plot::load_markers(view.paths().markers());
    if (!file.ok()) return file.error();
    for (const std::string& warning : file->warnings) fmt::print(stderr, "mikroscope mark: {}\n", warning);
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    std::size_t number = 0;
    for (const plot::Marker& m : file->markers) {
      ++number;
      const std::optional<double> at = view.axis_s(m.boot_ns, m.wall_ns);
      std::optional<double> until;
      if (m.until_boot_ns) until = view.axis_s(m.until_boot_ns, m.wall_ns);
      if (json_) {
        nlohmann::ordered_json entry{{"number", number}};
        if (at) entry["at_s"] = *at;
        if (until) entry["until_s"] = *until;
        entry["utc"] = base::format_utc(m.wall_ns, 9);
        entry["kind"] = m.kind;
        entry["label"] = m.label;
        json.push_back(std::move(entry));
        continue;
      }
      const std::string from = at ? fmt::format("{:.3f}", *at) : "?";
      const std::string place = until ? fmt::format("{}..{:.3f} s", from, *until) : from + " s";
      fmt::print("{:>3}  {:>16}  {}  {:<10}  {}\n", number, place, base::format_utc(m.wall_ns), m.kind,
                 m.label);
    }
    if (json_) std::fputs(json_text(json).c_str(), stdout);
    if (!json_ && number == 0) fmt::print("no markers in {}\n", view.paths().markers());
    return base::Exit::ok;
  }

  base::Result<base::Exit> remove(const RecordingView& view) const {
    base::Result<void> done =
        plot::delete_marker(view.paths().markers(), static_cast<std::size_t>(*delete_ - 1));
    if (!done.ok()) return std::move(done).error();
    if (!json_) fmt::print("marker {} deleted from {}\n", *delete_, view.paths().markers());
    return base::Exit::ok;
  }

  RouterOptions router_;
  LogMarkerOptions log_markers_;
  std::vector<std::string> words_;
  std::string out_;
  std::string at_;
  std::string until_;
  std::string kind_ = "note";
  bool list_ = false;
  bool json_ = false;
  std::optional<std::int64_t> delete_;
};

constexpr Example kExamples[] = {
    {"mark --out update writes begin", "now, in the recording that runs"},
    {"mark --out update --at -3s --kind start \"bouncer starts\"", "three seconds ago"},
    {"mark --out update --at 12.5s --until +4s --kind phase \"backup\"",
     "an interval, also in a finished recording"},
    {"mark --out update --log-markers --router home", "the lines of the router's log in that time"},
    {"mark --out update --list", "all markers with their numbers"},
};

}  // namespace

const Verb kMarkVerb{
    "mark",
    "set, list and delete markers of a recording",
    "Works while the recording runs, from any shell of the machine that records, and afterwards with --at. "
    "Needs no agent, and a router for --log-markers only.\n"
    "What lies outside a finished recording is refused, since it could never be drawn.",
    kExamples,
    make_verb<Mark>,
};

}  // namespace mikroscope::cli
