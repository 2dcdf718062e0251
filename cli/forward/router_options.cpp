#include "cli/forward/router_options.h"

#include <fmt/format.h>

#include "cli/forward/all_measurements.h"
#include "cli/forward/api_side.h"
#include "sinks/detections/detector.h"
#include "sinks/detections/rule_spec.h"

namespace mikroscope::cli {
namespace {

class RouterStage final : public Stage {
 public:
  RouterStage(const std::vector<sinks::RuleSpec>& rules, const std::string& host,
              const std::optional<sinks::RouterCursor>& last)
      : detector_(rules) {
    if (last) detector_.begin({host, last->instance, last->boot_id}, last->seq);
  }

  void see(const model::Event& event, std::vector<model::Event>& more) override {
    detector_.see(event, more);
    if (event.kind != model::EventKind::sampler) return;
    // As often as the agent reports of itself: every rule's count, those at 0 too.
    model::EventBuilder counts(model::EventKind::collector, event.origin, event.wall_ns);
    detector_.report(counts);
    if (!counts.empty()) more.push_back(counts.finish());
  }

 private:
  sinks::Detector detector_;
};

}  // namespace

void RouterOwnOptions::declare(OptionSet& set) {
  const auto duration = [&](std::string_view name, std::string_view help, std::optional<std::int64_t>& to,
                            std::string_view otherwise) {
    set.duration(
        {.names = name, .group = "RouterOS tier", .value = "D", .help = help, .default_text = otherwise}, to);
  };
  set.text({.names = "--api",
            .group = "RouterOS tier",
            .value = "PRESET",
            .help = "with --router: what its API is asked; slow: load, memory, counters every 10s; full: "
                    "every second, with "
                    "rates, health, connections, queues, clients, rules",
            .choices = "slow,full,off",
            .default_text = "slow"},
           api_);
  duration("--api-every", "one round of the API", every_ns_, "of the preset");
  duration("--counters-every", "counters of interfaces", counters_every_ns_, "of the preset");
  duration("--labels-every", "names, comments, lists and bridges", labels_every_ns_, "5m");
  duration("--conntrack-every", "how many connections are tracked", conntrack_every_ns_, "of the preset");
  set.text({.names = "--interfaces",
            .group = "RouterOS tier",
            .value = "LIST",
            .help = "whose rates are asked: names, globs, all, type=ether; !NAME leaves one out",
            .default_text = "of the preset"},
           interfaces_);
  set.texts({.names = "--rule",
             .group = "Detections",
             .value = "RULE",
             .help = "a rule of your own: 'hot: cpu.busy_ratio > 0.95 for 2s'; may be repeated"},
            rules_);
  set.flag({.names = "--no-detections", .group = "Detections", .help = "look for nothing"}, no_detections_);
}

base::Result<void> RouterOwnOptions::check() const {
  if (auto tier = tier_options(); !tier.ok()) return tier.error();
  if (auto parsed = rules(); !parsed.ok()) return parsed.error();
  return {};
}

base::Result<routeros::ApiTierOptions> RouterOwnOptions::tier_options() const {
  const auto preset = routeros::parse_api_preset(api_.empty() ? "slow" : api_);
  if (!preset)
    return base::Error{fmt::format("--api: \"{}\" is none of slow, full, off", api_), "", base::Exit::usage};
  routeros::ApiTierOptions options = routeros::ApiTierOptions::of(*preset);
  options.every_ns = every_ns_.value_or(options.every_ns);
  options.counters_every_ns = counters_every_ns_.value_or(options.counters_every_ns);
  options.labels_every_ns = labels_every_ns_.value_or(options.labels_every_ns);
  options.conntrack_every_ns = conntrack_every_ns_.value_or(options.conntrack_every_ns);
  if (!interfaces_.empty()) {
    auto choice = routeros::parse_interface_choice(interfaces_);
    if (!choice.ok())
      return base::Error{"--interfaces: " + choice.error().what, choice.error().fix, base::Exit::usage};
    options.interfaces = *choice;
  }
  return options;
}

base::Result<std::vector<sinks::RuleSpec>> RouterOwnOptions::rules() const {
  return sinks::parse_rules(rules_, all_measurements());
}

std::unique_ptr<PerRouter> make_router_options() {
  return std::make_unique<RouterOwnOptions>();
}

MakeStage router_stage() {
  return [](const ForwardTarget& target,
            const std::optional<sinks::RouterCursor>& last) -> std::unique_ptr<Stage> {
    const auto& own = static_cast<const RouterOwnOptions&>(*target.own);
    if (!own.detections()) return nullptr;
    const auto rules = own.rules();
    return std::make_unique<RouterStage>(rules.ok() ? *rules : std::vector<sinks::RuleSpec>{}, target.host,
                                         last);
  };
}

MakeSide router_side() {
  return [](RouterWorker& worker, const sinks::Say& say) -> std::unique_ptr<SideWorker> {
    if (!worker.target().options->is_router()) return nullptr;
    const auto& own = static_cast<const RouterOwnOptions&>(*worker.target().own);
    const auto options = own.tier_options();
    if (!options.ok() || options->off()) return nullptr;
    return make_api_side(worker, *options, say);
  };
}

}  // namespace mikroscope::cli
