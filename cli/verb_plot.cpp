#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/verb.h"
#include "plot/panel.h"
#include "plot/plot.h"

namespace mikroscope::cli {
namespace {

base::Error usage_error(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = base::trim(list.substr(0, comma));
    if (!word.empty()) out.emplace_back(word);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

const std::string& panel_help() {
  static const std::string text = [] {
    std::string names;
    for (const plot::Panel* panel : plot::all_panels())
      names += (names.empty() ? "" : ", ") + std::string(panel->name);
    return "panels to draw, in that order, separated by commas: " + names;
  }();
  return text;
}

class Plot final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.texts({.names = "prefix", .group = "Input", .value = "PREFIX", .help = "recordings, as with --in"},
              positional_);
    set.texts(
        {.names = "--in",
         .group = "Input",
         .value = "X",
         .help =
             "a recording's prefix, a .jsonl file, a saved capture or a data set (.csv); may be repeated"},
        options_.inputs);
    set.text({.names = "--background",
              .group = "Input",
              .value = "F",
              .help = "spans of background jobs of a data set (X-background.csv if it is there), or none"},
             options_.background);
    set.text(
        {.names = "--from",
         .group = "Time",
         .value = "T",
         .help = "left end: seconds after t0 (12.5s), end-5s, 14:03:20 (UTC), RFC 3339, or a marker's label",
         .default_text = "start"},
        options_.from);
    set.text({.names = "--to",
              .group = "Time",
              .value = "T",
              .help = "right end, written the same",
              .default_text = "end"},
             options_.to);
    set.text({.names = "--t0",
              .group = "Time",
              .value = "T",
              .help = "where the axis is 0: a time or a marker's label",
              .default_text = "the first sample"},
             options_.t0);
    set.add({.names = "--panels",
             .group = "Figure",
             .value = "LIST",
             .help = panel_help(),
             .default_text = "all that have data"},
            [this](const std::string& text, Origin) -> base::Result<void> {
              options_.panels = split(text);
              return {};
            });
    set.add({.names = "--layout",
             .group = "Figure",
             .value = "L",
             .help = "one panel below the other, or CPU and memory in one figure",
             .choices = "auto,panels,dual",
             .default_text = "auto"},
            [this](const std::string& text, Origin) -> base::Result<void> {
              (void)plot::layout_from_name(text, options_.layout);
              return {};
            });
    set.add({.names = "--theme",
             .group = "Figure",
             .value = "T",
             .help = "auto follows the viewer's preference; both writes two files",
             .choices = "auto,light,dark,both",
             .default_text = "auto"},
            [this](const std::string& text, Origin) -> base::Result<void> {
              (void)plot::theme_from_name(text, options_.theme);
              return {};
            });
    set.integer({.names = "--smooth",
                 .group = "Figure",
                 .value = "N",
                 .help = "samples per drawn mean; 1 draws single samples",
                 .default_text = "by the figure's width"},
                smooth_, 1, 100'000);
    set.flag(
        {.names = "--share-axes", .group = "Figure", .help = "the same axes on the figures of all inputs"},
        options_.share_axes);
    set.add({.names = "--size",
             .group = "Figure",
             .value = "WxH",
             .help = "of the view box: 1200x800, or 1200 for the width only"},
            [this](const std::string& text, Origin) { return size(text); });
    set.text({.names = "--title",
              .group = "Figure",
              .value = "TEXT",
              .help = "heading",
              .default_text = "the input's name"},
             options_.title);
    set.text({.names = "-o,--out",
              .group = "Output",
              .value = "F",
              .help = "the SVG file to write",
              .default_text = "PREFIX.svg"},
             options_.out);
    set.flag({.names = "--check",
              .group = "Output",
              .help = "write nothing: compare with the file that is there; exit code 1 when it is stale"},
             options_.check);
    set.flag({.names = "--json", .group = "Output", .help = "the summary as a JSON object"}, json_);
    set.flag({.names = "-q,--quiet", .group = "Output", .help = "no summary"}, quiet_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    options_.inputs.insert(options_.inputs.end(), positional_.begin(), positional_.end());
    if (options_.inputs.empty()) return usage_error("no recording given", "mikroscope plot PREFIX");
    options_.smooth = static_cast<std::uint32_t>(smooth_.value_or(0));
    options_.version = MIKROSCOPE_VERSION;
    const base::Result<plot::PlotSummary> done = plot::plot(options_);
    if (!done.ok()) return done.error();
    if (json_) {
      std::fputs(
          (summary_json(*done).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n").c_str(),
          stdout);
    } else if (!quiet_) {
      fmt::print("{}\n", done->text());
    }
    return base::Exit::ok;
  }

 private:
  base::Result<void> size(const std::string& text) {
    const std::size_t x = text.find('x');
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    const bool good = base::parse_u64(text.substr(0, x), width) &&
                      (x == std::string::npos || base::parse_u64(text.substr(x + 1), height)) &&
                      width >= 640 && width <= 4000 && height <= 10'000;
    if (!good)
      return usage_error(fmt::format("\"{}\" is no size; the width is 640 to 4000", text), "--size 1200x800");
    options_.width = static_cast<std::uint32_t>(width);
    options_.height = static_cast<std::uint32_t>(height);
    return {};
  }

  static nlohmann::ordered_json summary_json(const plot::PlotSummary& summary) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array();
    for (const plot::FigureSummary& f : summary.figures) {
      figures.push_back({{"input", f.input},
                         {"files", f.files},
                         {"samples", f.samples},
                         {"samples_outside", f.samples_outside},
                         {"lines_skipped", f.lines_skipped},
                         {"cut_last_line", f.cut_last_line},
                         {"gaps", f.gaps},
                         {"samples_lost", f.samples_lost},
                         {"restarts", f.restarts},
                         {"markers_drawn", f.markers_drawn},
                         {"markers_outside", f.markers_outside},
                         {"markers_folded", f.markers_folded},
                         {"markers_without_chip", f.markers_without_chip},
                         {"panels", f.panels},
                         {"panels_left_out", f.panels_left_out},
                         {"notes", f.notes}});
    }
    return {{"checked", summary.checked}, {"figures", figures}};
  }

  plot::PlotOptions options_;
  std::vector<std::string> positional_;
  std::optional<std::int64_t> smooth_;
  bool json_ = false;
  bool quiet_ = false;
};

constexpr Example kExamples[] = {
    {"plot demo", "demo.svg from demo.jsonl and demo.markers.csv"},
    {"plot update --t0 \"writes begin\" --from -5s --to 30s", "seconds count from a marker"},
    {"plot --in a --in b --share-axes --layout dual --theme both",
     "two runs with the same axes, light and dark"},
    {"plot demo --check", "is the committed figure still what the recording gives?"},
};

}  // namespace

const Verb kPlotVerb{
    "plot",
    "draw recordings as SVG",
    "The time axis is the machine's own; gaps break the lines; a single sample's peak stays visible at any "
    "length. The same "
    "input gives the same bytes on every machine.",
    kExamples,
    make_verb<Plot>,
};

}  // namespace mikroscope::cli
