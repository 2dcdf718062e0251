#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/host/utc.h"
#include "cli/verb.h"
#include "plot/recording.h"
#include "proc/reader/reader.h"
#include "routeros/tier/measurements.h"
#include "sinks/detections/detector.h"
#include "sinks/kernel/kernel_events.h"
#include "sinks/kernel/store_tables.h"

namespace mikroscope::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kPiece = std::size_t{1} << 20;

struct Found {
  std::string rule;
  std::string key;
  model::Event event;
};

std::string text_of(const model::Event& event, std::string_view field) {
  const model::ShapeTable& table = event.shape->tables()[0];
  const int column = table.measurement->field(field);
  const std::uint32_t slot = table.slot(0, static_cast<std::size_t>(column));
  return column >= 0 && event.has(slot) ? std::string(event.text(slot)) : std::string();
}

class Detect final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.text({.names = "prefix", .group = "Input", .value = "PREFIX", .help = "a recording, as with --in"},
             positional_);
    set.text({.names = "--in",
              .group = "Input",
              .value = "X",
              .help = "a recording's prefix, a .jsonl file or a saved capture"},
             in_);
    set.texts({.names = "--rule",
               .group = "Rules",
               .value = "RULE",
               .help = "a rule of your own: \"name: cpu.busy_ratio > 0.95 for 2s\"; may be repeated"},
              rule_texts_);
    set.flag({.names = "--fail",
              .group = "Output",
              .help = "exit code 1 when a rule fired that is not informational"},
             fail_);
    set.flag({.names = "--json", .group = "Output", .help = "as a JSON object"}, json_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    if (!positional_.empty() && !in_.empty())
      return base::Error{"a recording is given twice", "mikroscope detect --in X", base::Exit::usage};
    const std::string input = in_.empty() ? positional_ : in_;
    if (input.empty())
      return base::Error{"no recording given", "mikroscope detect --in X", base::Exit::usage};
    std::vector<model::MeasurementPtr> known = sinks::kernel_measurements();
    for (model::MeasurementPtr& m : routeros::api_measurements()) known.push_back(std::move(m));
    auto rules = sinks::parse_rules(rule_texts_, known);
    if (!rules.ok()) return std::move(rules).error();
    const auto paths = plot::find_input(input);
    if (!paths.ok()) return paths.error();
    if (paths->dataset) {
      return base::Error{
          fmt::format("{} is a data set: it has no samples that rules could look at", paths->data),
          "give a recording (.jsonl)", base::Exit::usage};
    }
    sinks::Detector detector(*rules);
    base::Result<void> read = look_at(paths->data, detector);
    if (!read.ok()) return std::move(read).error();
    if (samples_ == 0)
      return base::Error{fmt::format("{} holds no sample", paths->data), "", base::Exit::no_data};
    if (json_) {
      print_json(detector.counts());
    } else {
      print_text(detector.counts());
    }
    bool alarm = false;
    for (const sinks::RuleCounts& rule : detector.counts())
      alarm = alarm || (rule.fired > 0 && !rule.informational);
    return fail_ && alarm ? base::Exit::failed : base::Exit::ok;
  }

 private:
  base::Result<void> look_at(const std::string& path, sinks::Detector& detector) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return base::Error{fmt::format("cannot read {}", path), "", base::Exit::failed};
    proc::NdjsonReader reader;
    sinks::KernelEvents kernel(path);
    std::vector<model::Event> events;
    std::vector<model::Event> more;
    std::int64_t wall_ns = 0;
    const auto take_all = [&] {
      while (const auto item = reader.next()) {
        if (const auto* frame = std::get_if<proc::Frame>(&*item)) {
          ++samples_;
          wall_ns = frame->head.wall_ns;
        }
        kernel.take(*item, wall_ns, events);
        for (const model::Event& event : events) detector.see(event, more);
        events.clear();
        for (model::Event& event : more) {
          const std::vector<std::string>& keys = event.shape->tables()[0].rows[0].keys;
          found_.push_back({keys[0], keys[1], std::move(event)});
        }
        more.clear();
      }
    };
    std::string piece(kPiece, '\0');
    while (in) {
      in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
      reader.feed(std::string_view(piece.data(), static_cast<std::size_t>(in.gcount())));
      take_all();
    }
    if (in.bad()) return base::Error{fmt::format("reading {} failed", path), "", base::Exit::failed};
    reader.finish();
    take_all();
    malformed_ = kernel.malformed();
    return {};
  }

  void print_text(const std::vector<sinks::RuleCounts>& counts) const {
    for (const Found& found : found_) {
      fmt::print("{}  {}{}  {}\n", base::format_utc(found.event.wall_ns), found.rule,
                 found.key.empty() ? "" : " " + found.key, text_of(found.event, "message"));
    }
    fmt::print("{}{} findings in {} samples\n", found_.empty() ? "" : "\n", found_.size(), samples_);
    if (malformed_ > 0) fmt::print("{} lines could not be read and were passed over\n", malformed_);
    for (const sinks::RuleCounts& rule : counts) {
      if (!rule.checked) {
        fmt::print("  {:18} not checked: the recording has no {}\n", rule.rule, rule.needs);
        continue;
      }
      fmt::print("  {:18} {}{}{}\n", rule.rule, rule.fired,
                 rule.suppressed > 0 ? fmt::format(", {} repetitions left out", rule.suppressed) : "",
                 rule.informational ? " (informational)" : "");
    }
  }

  void print_json(const std::vector<sinks::RuleCounts>& counts) const {
    ordered_json findings = ordered_json::array();
    for (const Found& found : found_) {
      ordered_json entry = {
          {"time", base::format_utc(found.event.wall_ns, 9)}, {"rule", found.rule}, {"key", found.key}};
      for (const char* name : {"value", "threshold"}) {
        // By the row's keys: the event has this row alone.
        const auto value = model::find_number(found.event, "detection", {found.rule, found.key}, name);
        entry[name] = value ? ordered_json(*value) : ordered_json(nullptr);
      }
      entry["seq"] = found.event.seq;
      entry["informational"] =
          model::find_number(found.event, "detection", {found.rule, found.key}, "informational")
              .value_or(0) != 0;
      entry["message"] = text_of(found.event, "message");
      findings.push_back(std::move(entry));
    }
    ordered_json rules = ordered_json::array();
    for (const sinks::RuleCounts& rule : counts) {
      // What was not checked has no number.
      rules.push_back({{"rule", rule.rule},
                       {"checked", rule.checked},
                       {"fired", rule.checked ? ordered_json(rule.fired) : ordered_json(nullptr)},
                       {"suppressed", rule.checked ? ordered_json(rule.suppressed) : ordered_json(nullptr)},
                       {"informational", rule.informational},
                       {"needs", rule.needs}});
    }
    const ordered_json all = {
        {"samples", samples_}, {"malformed", malformed_}, {"findings", findings}, {"rules", rules}};
    std::fputs((all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n").c_str(), stdout);
  }

  std::string positional_;
  std::string in_;
  std::vector<std::string> rule_texts_;
  bool fail_ = false;
  bool json_ = false;
  std::uint64_t samples_ = 0;
  std::uint64_t malformed_ = 0;
  std::vector<Found> found_;
};

constexpr Example kExamples[] = {
    {"detect update", "what the rules find in update.jsonl"},
    {"detect --in update --rule \"hot: thermal.celsius > 70 for 10s\"", "with a rule of your own"},
    {"detect update --fail --json", "for scripts"},
};

}  // namespace

const Verb kDetectVerb{
    "detect",
    "run the collector's rules over a recording",
    "Prints what they found, with times in UTC, and then every rule with the number of its findings. A rule "
    "whose "
    "source is not in the recording is told as not checked, which is not 0. The exit code is 0 whatever was "
    "found, "
    "but for --fail.",
    kExamples,
    make_verb<Detect>,
};

}  // namespace mikroscope::cli
