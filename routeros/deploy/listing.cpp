#include "routeros/deploy/listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "routeros/session/console.h"

namespace mikroscope::routeros {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;

std::string_view kind_name(StepKind kind) {
  constexpr std::string_view kNames[] = {"row", "text-file", "upload", "wait", "remove-file", "start"};
  return kNames[static_cast<std::size_t>(kind)];
}

// What stands in the way of a value on one line: the manifest's contents are the options and the objects,
// which are in the listing anyway.
Attributes shortened(const Attributes& attributes) {
  Attributes out;
  for (const Attribute& a : attributes) {
    if (a.name != "contents") out.push_back(a);
  }
  return out;
}

std::string option_value(const OptionDef& option, const Options& options) {
  if (option.value.empty()) return option.get(options);
  const std::string value = option.get(options);
  return value.empty() ? "-" : value;
}

// "name mikroscope, veth veth-mikro, …", in lines of at most kWidth.
std::string options_text(const Options& options, std::string_view indent) {
  std::vector<std::string> items;
  for (const OptionDef& option : all_options())
    items.push_back(fmt::format("{} {}", option.name, option_value(option, options)));
  items.push_back(fmt::format("token {}", options.token.empty() ? "-" : "(secret)"));
  std::string out;
  std::string line(indent);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string item = items[i] + (i + 1 < items.size() ? "," : "");
    if (line.size() + item.size() > kWidth) {
      out += line + "\n";
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += item;
  }
  return out + line + "\n";
}

std::string standing_text(const Step& step, const Decision& decision) {
  const bool makes =
      step.kind == StepKind::row || step.kind == StepKind::text_file || step.kind == StepKind::upload;
  switch (decision.standing) {
    case Standing::absent:
      return "";
    case Standing::ours:
      return makes ? " [there]" : " [done]";
    case Standing::differs:
    case Standing::leftover:
    case Standing::foreign:
    case Standing::unknown:
      break;
  }
  return fmt::format(" [{}: {}]", standing_name(decision.standing), decision.evidence);
}

std::string architecture_text(const Plan& plan) {
  return plan.image.remote.empty() ? plan.image.arch : "image from " + plan.image.remote;
}

}  // namespace

std::string step_command(const Step& step, bool mask_secrets) {
  switch (step.kind) {
    case StepKind::row:
    case StepKind::text_file:
      return console_command(step.menu, "add", step.attributes, mask_secrets);
    case StepKind::upload:
      return fmt::format("(upload to {})", step.file());
    case StepKind::wait:
      return fmt::format("(looks at {} until it can be started, up to {} s)", step.menu, step.deadline_s);
    case StepKind::remove_file:
      return fmt::format("/file/remove {}", console_find("/file", step.identity));
    case StepKind::start:
      return fmt::format("/container/start {}", console_find("/container", step.identity));
  }
  return {};
}

std::string plan_listing(const Plan& plan, const std::string& router, const Decisions* decisions) {
  std::string out = fmt::format("installation \"{}\"{}: RouterOS {}{}, {}\n", plan.options.name,
                                router.empty() ? "" : " on " + router, format_version(plan.version),
                                plan.assumed ? " (assumed)" : "", architecture_text(plan));
  out += "options:\n" + options_text(plan.options, "    ");
  out += fmt::format("tag:\n    {}\nsteps:\n", plan.options.tag());
  int number = 0;
  std::string family;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (step.family != family) {
      out += fmt::format("{:>4} {}: {}\n", ++number, step.family, step.title);
      family = step.family;
    }
    const std::string standing = decisions != nullptr ? standing_text(step, decisions->steps[i]) : "";
    if (step.kind == StepKind::text_file) {
      const std::string_view contents = step.attribute("contents");
      out += fmt::format("       {} contents=({} lines: the options above, the objects below){}\n",
                         console_command(step.menu, "add", shortened(step.attributes), true),
                         std::count(contents.begin(), contents.end(), '\n'), standing);
    } else {
      out += fmt::format("       {}{}\n", step_command(step, true), standing);
    }
    if (!step.before.empty()) {
      out += fmt::format("       (before the first rule with");
      for (const Where& where : step.before) out += fmt::format(" {}={}", where.name, where.value);
      out += ", when there is one)\n";
    }
  }
  if (!plan.notes.empty()) out += "notes:\n";
  for (const std::string& note : plan.notes) out += fmt::format("  - {}\n", note);
  return out + "nothing has been written yet\n";
}

std::string plan_json(const Plan& plan, const std::string& router, const Decisions* decisions) {
  Json out;
  out["installation"] = plan.options.name;
  out["tag"] = plan.options.tag();
  if (!router.empty()) out["router"] = router;
  out["routeros"] = format_version(plan.version);
  out["assumed"] = plan.assumed;
  if (!plan.image.arch.empty()) out["arch"] = plan.image.arch;
  Json options = Json::object();
  for (const OptionDef& option : all_options()) options[std::string(option.name)] = option.get(plan.options);
  out["options"] = std::move(options);
  out["token"] = !plan.options.token.empty();
  Json steps = Json::array();
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    Json item{{"name", step.name},
              {"family", step.family},
              {"title", step.title},
              {"kind", kind_name(step.kind)},
              {"menu", step.menu}};
    Json attributes = Json::object();
    for (const Attribute& a : step.attributes) attributes[a.name] = a.secret ? "(secret)" : a.value;
    if (!step.attributes.empty()) item["attributes"] = std::move(attributes);
    Json identity = Json::object();
    for (const Where& where : step.identity) identity[where.name] = where.value;
    item["identity"] = std::move(identity);
    if (step.kind == StepKind::row || step.kind == StepKind::text_file)
      item["command"] = step_command(step, true);
    if (step.upload_bytes != 0) item["bytes"] = step.upload_bytes;
    if (decisions != nullptr) {
      item["standing"] = standing_name(decisions->steps[i].standing);
      if (!decisions->steps[i].evidence.empty()) item["evidence"] = decisions->steps[i].evidence;
    }
    steps.push_back(std::move(item));
  }
  out["steps"] = std::move(steps);
  out["notes"] = plan.notes;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mikroscope::routeros
