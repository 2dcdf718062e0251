#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/host/duration.h"
#include "base/host/suggest.h"
#include "base/host/utc.h"
#include "base/text.h"
#include "cli/capture_files.h"
#include "cli/signals.h"
#include "cli/target.h"
#include "cli/verb.h"

namespace mikroscope::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxReason = 128;

base::Error usage_error(std::string what, std::string fix) {
  return {std::move(what), std::move(fix), base::Exit::usage};
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

class Captures final : public VerbRun {
 public:
  void options(OptionSet& set) override {
    set.texts({.names = "action",
               .group = "Action",
               .value = "list|get|rm|arm",
               .help = "list them (the default), get ID into files, rm ID, or arm [REASON]: keep the samples "
                       "around now"},
              words_);
    target_.declare(set);
    set.text({.names = "-o,--out",
              .group = "Output",
              .value = "X",
              .help = "with get: prefix of the files X.jsonl, X.csv, X.markers.csv and X.meta.json",
              .default_text = "capture-ID"},
             out_);
    set.flag({.names = "--force", .group = "Output", .help = "with get: replace a recording of that name"},
             force_);
    set.flag({.names = "--json", .group = "Output", .help = "as JSON"}, json_);
  }

  base::Result<base::Exit> run(const Invocation&) override {
    const std::string action = words_.empty() ? "list" : words_[0];
    std::optional<std::uint64_t> id;
    std::string reason;
    if (action == "get" || action == "rm") {
      std::uint64_t number = 0;
      if (words_.size() != 2 || !base::parse_u64(words_[1], number) || number == 0)
        return usage_error(fmt::format("captures {} takes the number of one capture", action),
                           fmt::format("mikroscope captures {} 3", action));
      id = number;
    } else if (action == "arm") {
      for (std::size_t i = 1; i < words_.size(); ++i) reason += (i == 1 ? "" : " ") + words_[i];
      if (reason.size() > kMaxReason)
        return usage_error(
            fmt::format("a reason has at most {} bytes, this one {}", kMaxReason, reason.size()), "");
    } else if (action != "list" || words_.size() > 1) {
      const std::vector<std::string> actions{"list", "get", "rm", "arm"};
      const std::string near = base::closest(action, actions);
      return usage_error(action == "list" ? std::string("captures list takes nothing further")
                                          : fmt::format("captures knows no \"{}\"", action),
                         near.empty() || action == "list" ? "list, get ID, rm ID, or arm [REASON]"
                                                          : fmt::format("did you mean {}?", near));
    }
    base::Result<void> good = target_.check();
    if (!good.ok()) return std::move(good).error();
    std::unique_ptr<plot::RecordingWriter> writer;
    const std::string prefix =
        id ? plot::prefix_of(out_.empty() ? fmt::format("capture-{}", *id) : out_) : std::string();
    if (action == "get") {
      base::Result<std::unique_ptr<plot::RecordingWriter>> made =
          plot::RecordingWriter::create({prefix, force_, *plot::CsvSelection::parse("all")});
      if (!made.ok()) return std::move(made).error();
      writer = std::move(*made);
    }
    const StopSignals signals;
    base::Result<Target> target = target_.open(signals.fd());
    if (!target.ok()) return std::move(target).error();
    target->link->interrupt_on(signals.fd());
    base::Result<void> allowed = target->link->check_token();
    if (!allowed.ok()) return std::move(allowed).error();
    if (action == "get") return get(*target, *id, *writer);
    if (action == "rm") return remove(*target, *id);
    if (action == "arm") return arm(*target, reason);
    return list(*target);
  }

 private:
  // The agent's own list; its texts are from the agent of a router, not from us.
  base::Result<base::Exit> list(Target& target) const {
    const base::Result<std::string> text = target.link->fetch("/captures");
    if (!text.ok()) return off_or(text.error());
    const Json index = Json::parse(*text, nullptr, false);
    if (!index.is_object() || !index.contains("captures") || !index["captures"].is_array()) {
      return base::Error{fmt::format("{} gives no list of captures", target.link->describe()), "",
                         base::Exit::failed};
    }
    if (json_) {
      std::fputs(dump(index).c_str(), stdout);
      return base::Exit::ok;
    }
    if (index["captures"].empty()) {
      fmt::print("no captures; conditions that make one:");
      for (const Json& t : index.value("triggers", Json::array())) fmt::print(" {}", t.value("name", "?"));
      fmt::print("\nor by hand: mikroscope captures arm {}\n", target.flags());
      return base::Exit::ok;
    }
    fmt::print("{:>4}  {:<24}  {:>8}  {:>9}  {}\n", "id", "when (UTC)", "samples", "memory", "cause");
    for (const Json& c : index["captures"]) {
      std::string causes;
      for (const Json& cause : c.value("causes", Json::array())) {
        causes += fmt::format("{}{}", causes.empty() ? "" : ", ", cause.value("cause", "?"));
      }
      if (causes.empty()) causes = c.value("cause", "?");
      if (c.value("pending", false)) causes += " (being filled)";
      if (c.value("cut", false)) causes += " (cut: no memory left)";
      fmt::print("{:>4}  {:<24}  {:>8}  {:>5} KiB  {}\n", c.value("id", std::uint64_t{0}),
                 base::format_utc(c.value("fire_wall_ns", std::int64_t{0})),
                 c.value("samples", std::uint64_t{0}), c.value("bytes", std::uint64_t{0}) / 1024, causes);
    }
    fmt::print("{} of {} KiB; save one: mikroscope captures get ID {}\n",
               index.value("bytes", std::uint64_t{0}) / 1024,
               index.value("budget_bytes", std::uint64_t{0}) / 1024, target.flags());
    return base::Exit::ok;
  }

  base::Result<base::Exit> get(Target& target, std::uint64_t id, plot::RecordingWriter& writer) const {
    const base::Result<SavedCapture> saved = save_capture(target, id, writer);
    if (!saved.ok()) return off_or(saved.error());
    if (json_) {
      std::fputs(dump({{"id", id},
                       {"prefix", writer.paths().prefix},
                       {"samples", saved->samples},
                       {"markers", saved->markers},
                       {"complete", saved->complete}})
                     .c_str(),
                 stdout);
      return base::Exit::ok;
    }
    fmt::print("capture {}: {} samples, {} marker{}{}\n  {}\ndraw it: mikroscope plot {}\n", id,
               saved->samples, saved->markers, saved->markers == 1 ? "" : "s",
               saved->complete ? "" : "; its window is not complete yet", writer.paths().jsonl(),
               writer.paths().prefix);
    return base::Exit::ok;
  }

  base::Result<base::Exit> remove(Target& target, std::uint64_t id) const {
    const base::Result<void> done = target.link->remove_capture(id);
    if (!done.ok()) return off_or(done.error());
    if (json_) {
      std::fputs(dump({{"id", id}, {"removed", true}}).c_str(), stdout);
    } else {
      fmt::print("capture {} removed\n", id);
    }
    return base::Exit::ok;
  }

  base::Result<base::Exit> arm(Target& target, const std::string& reason) const {
    const base::Result<std::string> text = target.link->arm_capture(reason);
    if (!text.ok()) return off_or(text.error());
    const Json reply = Json::parse(*text, nullptr, false);
    const std::uint64_t id = reply.is_object() ? reply.value("id", std::uint64_t{0}) : 0;
    if (json_) {
      std::fputs(dump(reply).c_str(), stdout);
    } else {
      fmt::print("capture {} {}; it is complete some seconds from now: mikroscope captures get {} {}\n", id,
                 reply.is_object() && reply.value("extended", false) ? "is extended" : "has begun", id,
                 target.flags());
    }
    return base::Exit::ok;
  }

  // "No such capture" says what to do next.
  static base::Error off_or(base::Error error) {
    if (error.exit == base::Exit::no_data && error.fix.empty()) error.fix = "mikroscope captures list";
    return error;
  }

  TargetOptions target_;
  std::vector<std::string> words_;
  std::string out_;
  bool force_ = false;
  bool json_ = false;
};

constexpr Example kExamples[] = {
    {"captures --router home", "what the triggers kept: numbers, times, sizes, causes"},
    {"captures get 3 --router home --out drop", "as a recording that plot draws"},
    {"captures arm \"upload is slow\" --url http://192.168.88.1:9123", "keep the samples around now"},
    {"captures rm 3 --router home", "make room for others"},
};

}  // namespace

const Verb kCapturesVerb{
    "captures",
    "list, save, remove and make captures of an agent",
    "A capture is a window of samples that the agent keeps because one of its triggers fired, or because it "
    "was "
    "asked to. It stays until it is removed, or makes room for others, or the agent ends.",
    kExamples,
    make_verb<Captures>,
};

}  // namespace mikroscope::cli
