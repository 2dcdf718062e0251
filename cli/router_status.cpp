#include "cli/router_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/deploy_run.h"
#include "routeros/deploy/apply_advice.h"
#include "routeros/deploy/attributes.h"
#include "routeros/deploy/decide.h"
#include "routeros/deploy/gather.h"
#include "routeros/deploy/plan.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {
namespace {

using routeros::Row;

constexpr std::size_t kLogLines = 6;

void row(std::string_view name, const std::string& value) {
  if (!value.empty()) fmt::print("  {:<12} {}\n", name, value);
}

// Only what lasts: waiting and starting leave nothing behind to count, and a finished upload neither.
bool lasts(const routeros::Step& step) {
  return step.kind == routeros::StepKind::row || step.kind == routeros::StepKind::text_file;
}

void count_parts(const routeros::Plan& plan, const routeros::Decisions& decisions, RouterStatus& out) {
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const routeros::Step& step = plan.steps[i];
    if (!lasts(step)) continue;
    // Which value the token and the resolved options have is not known here: the entry is there or not.
    const routeros::Standing standing = decisions.steps[i].standing;
    if (out.parts.empty() || out.parts.back().family != step.family)
      out.parts.push_back({step.family, 0, 0, {}});
    RouterStatus::Part& part = out.parts.back();
    ++part.planned;
    if (standing == routeros::Standing::ours || standing == routeros::Standing::differs) ++part.there;
    const bool told = step.owner == routeros::Owner::comment && !decisions.steps[i].evidence.empty();
    if (told) part.differences.push_back(decisions.steps[i].evidence);
  }
}

void read_container(const routeros::Facts& facts, RouterStatus& out) {
  const std::vector<const Row*> rows = routeros::tagged_rows(facts, "/container", out.shape.options.tag());
  const std::string root = routeros::step_names(out.shape.options, out.shape.slot).root_dir;
  const Row* current = nullptr;
  for (const Row* candidate : rows) {
    const bool recorded = routeros::without_slash(candidate->text("root-dir")) == root;
    const bool runs = routeros::container_state(*candidate) == routeros::ContainerState::running;
    if (current == nullptr || runs ||
        (recorded && routeros::container_state(*current) != routeros::ContainerState::running))
      current = candidate;
  }
  for (const Row* candidate : rows) {
    if (candidate != current) {
      out.leftovers.push_back(fmt::format("a second container, {}, of an upgrade that was cut short",
                                          state_name(routeros::container_state(*candidate))));
    }
  }
  if (current == nullptr) return;
  out.container = state_name(routeros::container_state(*current));
  if (current->find("memory-current")) out.memory = current->text("memory-current");
  if (current->find("restart-count")) out.restarts = current->text("restart-count");
}

// What carries the tag or the marker beyond the installation's own steps.
void find_leftovers(const routeros::Plan& plan, const routeros::Remains& remains, RouterStatus& out) {
  for (const routeros::Tagged& tagged : remains.rows) {
    const auto planned = std::count_if(plan.steps.begin(), plan.steps.end(),
                                       [&](const routeros::Step& step) { return step.menu == tagged.menu; });
    const auto there =
        std::count_if(remains.rows.begin(), remains.rows.end(),
                      [&](const routeros::Tagged& other) { return other.menu == tagged.menu; });
    if (there > planned) out.leftovers.push_back(tagged.label);
  }
  const bool keeps_image = plan.find("image file") == nullptr;
  for (const std::string& image : remains.images) {
    if (!keeps_image || image != plan.names.tar_file) out.leftovers.push_back("file " + image);
  }
  for (const std::string& root : remains.roots) out.leftovers.push_back("directory " + root);
  const std::string other_list =
      routeros::step_names(plan.options, routeros::other(plan.names.slot)).env_list;
  const auto others = std::count_if(remains.entries.begin(), remains.entries.end(),
                                    [&](const routeros::Tagged& entry) { return entry.list == other_list; });
  if (others != 0)
    out.leftovers.push_back(fmt::format("environment list {} with {} entries", other_list, others));
}

std::string shape_text(const RouterStatus& s) {
  if (!s.shape.manifest_trouble.empty())
    return fmt::format("its manifest cannot be read ({}); found by its tag", s.shape.manifest_trouble);
  if (s.shape.manifest)
    return fmt::format("manifest {}, written by {}", s.shape.manifest_path, s.shape.manifest->written_by);
  return "no manifest; found by its tag";
}

std::string parts_text(const RouterStatus& s) {
  std::string out;
  for (const RouterStatus::Part& part : s.parts) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", part.family,
                       part.there == part.planned ? fmt::format("{}", part.there)
                                                  : fmt::format("{} of {}", part.there, part.planned));
  }
  return out;
}

}  // namespace

base::Result<RouterStatus> read_router_status(routeros::Session& session, const std::string& installation,
                                              const StopSignals& signals) {
  RouterStatus out;
  out.router = session.router();
  SignalPace pace(signals);
  routeros::GatherOptions gathering;
  gathering.pause = [&pace](std::int64_t milliseconds) { return pace.wait_ns(milliseconds * 1'000'000); };
  routeros::Answer<routeros::Facts> facts = routeros::gather(session, gathering);
  if (!facts.ok()) return routeros::to_error(facts.error(), session.router());
  const Row& resource = facts->settings("/system/resource");
  out.version = routeros::printable(resource.text("version"));
  out.board = routeros::printable(resource.text("board-name"));
  out.architecture = facts->architecture();
  routeros::Options asked = routeros::default_options();
  asked.name = installation;
  out.shape = routeros::read_shape(*facts, asked);
  if (!out.shape.installed) return out;
  read_container(*facts, out);
  routeros::Options options = out.shape.options;
  if (out.shape.token) options.token = "(kept)";
  routeros::ImageSource image;
  image.remote = options.remote_image;
  const base::Result<routeros::Plan> plan = routeros::make_plan(*facts, options, image, out.shape.slot);
  const routeros::Link link{session, pace};
  const base::Result<routeros::Remains> remains = routeros::find_remains(link, options);
  if (!remains.ok()) return remains.error();
  out.unreadable = remains->unreadable;
  out.tagged = static_cast<int>(remains->lines().size());
  if (plan.ok()) {
    count_parts(*plan, routeros::decide(*plan, *facts), out);
    find_leftovers(*plan, *remains, out);
  }
  if (out.runs()) return out;
  out.log = routeros::container_log(session, kLogLines);
  if (const routeros::Advice* advice = routeros::find_advice(out.log)) {
    out.meaning = advice->meaning;
    out.advice = advice->fix;
  } else {
    out.advice = out.container.empty()
                     ? "`mikroscope install` goes on with what is there"
                     : "`mikroscope install` starts it again; `mikroscope doctor` looks for the cause";
  }
  return out;
}

void print_router_status(const RouterStatus& s) {
  const std::string about =
      fmt::format("RouterOS {}, {}{}{}", s.version, s.architecture, s.board.empty() ? "" : ", ", s.board);
  if (!s.shape.installed) {
    fmt::print("nothing of \"{}\" is installed on {}\n", s.shape.options.name, s.router);
    row("router", about);
    return;
  }
  fmt::print("installation \"{}\" on {}: {}\n", s.shape.options.name, s.router,
             s.container.empty() ? "no container" : "container " + s.container);
  row("router", about);
  row("shape", shape_text(s));
  row("objects", parts_text(s));
  if (s.memory) row("memory", *s.memory + " (as the router counts it)");
  if (s.restarts && *s.restarts != "0") row("restarts", *s.restarts);
  for (const RouterStatus::Part& part : s.parts) {
    for (const std::string& difference : part.differences) row("differs", part.family + ": " + difference);
  }
  for (const std::string& sentence : s.shape.unsure) row("unsure", sentence);
  for (const std::string& leftover : s.leftovers) row("leftover", leftover);
  for (const std::string& menu : s.unreadable) row("unreadable", menu);
  for (const std::string& line : s.log) row("log", line);
  row("meaning", s.meaning);
  row("to do", s.advice);
}

nlohmann::ordered_json router_status_json(const RouterStatus& s) {
  nlohmann::ordered_json out{{"router", s.router},
                             {"routeros", s.version},
                             {"board", s.board},
                             {"architecture", s.architecture},
                             {"installation", s.shape.options.name},
                             {"installed", s.shape.installed}};
  if (!s.shape.installed) return out;
  out["manifest"] = s.shape.manifest_path;
  if (!s.shape.manifest_trouble.empty()) out["manifest_trouble"] = s.shape.manifest_trouble;
  nlohmann::ordered_json options = nlohmann::ordered_json::object();
  for (const routeros::OptionDef& option : routeros::all_options()) {
    if (s.shape.known.contains(option.name)) options[std::string(option.name)] = option.get(s.shape.options);
  }
  out["options"] = std::move(options);
  out["token"] = s.shape.token;
  out["container"] = s.container;
  if (s.memory) out["memory_current"] = *s.memory;
  if (s.restarts) out["restart_count"] = *s.restarts;
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const RouterStatus::Part& part : s.parts) {
    parts[part.family] = {
        {"there", part.there}, {"planned", part.planned}, {"differences", part.differences}};
  }
  out["objects"] = std::move(parts);
  out["tagged"] = s.tagged;
  out["unsure"] = s.shape.unsure;
  out["leftovers"] = s.leftovers;
  out["unreadable"] = s.unreadable;
  out["log"] = s.log;
  if (!s.meaning.empty()) out["meaning"] = s.meaning;
  if (!s.advice.empty()) out["to_do"] = s.advice;
  return out;
}

}  // namespace mikroscope::cli
