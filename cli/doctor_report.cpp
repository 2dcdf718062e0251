#include "cli/doctor_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/host/duration.h"

namespace mikroscope::cli {
namespace {

using routeros::Level;
using Json = nlohmann::ordered_json;

constexpr std::string_view kResource = "/system/resource";

std::string_view mark(Level level) {
  switch (level) {
    case Level::ok:
      return "ok";
    case Level::warn:
      return "WARN";
    case Level::missing:
      return "MISSING";
    case Level::skip:
      break;
  }
  return "-";
}
std::string_view level_name(Level level) {
  constexpr std::string_view kNames[] = {"ok", "warn", "missing", "skip"};
  return kNames[static_cast<std::size_t>(level)];
}
std::string_view level_name(HealthFinding::Level level) {
  constexpr std::string_view kNames[] = {"ok", "warn", "skip"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string known(std::string text) {
  return text.empty() ? "unknown" : text;
}

std::string line(std::string_view mark, std::string_view title, const std::string& evidence,
                 const std::string& fix) {
  std::string out =
      fmt::format("  {:<7} {}{}\n", mark, title, evidence.empty() ? "" : fmt::format(" ({})", evidence));
  if (!fix.empty()) out += fmt::format("          fix: {}\n", fix);
  return out;
}

std::string seen(const AgentHealth& h) {
  return fmt::format("{} samples, {}{}", h.samples, base::format_duration(h.span_ns / 1'000'000 * 1'000'000),
                     h.all ? "" : ", the newest of a longer memory");
}

std::string health_text(const DoctorReport& report) {
  if (!report.health) return fmt::format("health: skipped: {}\n", report.no_health);
  const AgentHealth& h = *report.health;
  std::string out = fmt::format("health, from the agent's memory of {}\n", seen(h));
  for (const HealthFinding& f : h.findings) {
    const std::string_view shown = f.level == HealthFinding::Level::warn ? "WARN"
                                   : f.level == HealthFinding::Level::ok ? "ok"
                                                                         : "-";
    out += line(shown, f.title, f.evidence, f.fix);
  }
  return out;
}

}  // namespace

std::size_t DoctorReport::count(Level level) const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                [level](const auto& f) { return f.second.level == level; }));
}

std::string report_text(const DoctorReport& report) {
  const routeros::Row& resource = report.facts->settings(kResource);
  const auto said = [&](std::string_view name) {
    return routeros::printable(resource.text(name), report.code_page);
  };
  std::string out = fmt::format("device: {}, RouterOS {}, {}", known(said("board-name")),
                                known(said("version")), known(said("architecture-name")));
  const std::string identity =
      routeros::printable(report.facts->settings("/system/identity").text("name"), report.code_page);
  out += identity.empty() ? "\n" : fmt::format(" (\"{}\")\n", identity);
  if (!report.about.empty()) out += report.about + "\n";
  std::string skipped;
  for (const auto& [check, finding] : report.findings) {
    if (finding.level == Level::skip) {
      skipped += fmt::format("{}{}", skipped.empty() ? "" : "; ", check->name);
      if (!finding.evidence.empty()) skipped += ": " + finding.evidence;
    } else {
      out += line(mark(finding.level), check->title, finding.evidence, finding.fix);
    }
  }
  if (!skipped.empty()) out += fmt::format("  skipped {}\n", skipped);
  return out + health_text(report);
}

std::string report_json(const DoctorReport& report) {
  const routeros::Row& resource = report.facts->settings(kResource);
  const auto text = [&](std::string_view octets) { return routeros::decode_text(octets, report.code_page); };
  Json out;
  out["router"] = text(report.router);
  Json& device = out["device"] = Json::object();
  const auto put = [&](const char* key, std::string_view value) {
    if (!value.empty()) device[key] = text(value);
  };
  put("identity", report.facts->settings("/system/identity").text("name"));
  put("board", resource.text("board-name"));
  put("version", resource.text("version"));
  put("architecture", resource.text("architecture-name"));
  put("uptime", resource.text("uptime"));
  Json& checks = out["checks"] = Json::array();
  for (const auto& [check, finding] : report.findings) {
    Json one = {{"name", check->name},
                {"title", check->title},
                {"level", level_name(finding.level)},
                {"evidence", text(finding.evidence)}};
    if (!finding.fix.empty()) one["fix"] = text(finding.fix);
    checks.push_back(std::move(one));
  }
  Json& health = out["health"] = Json::object();
  if (!report.health) {
    health["skipped"] = text(report.no_health);
  } else {
    const AgentHealth& h = *report.health;
    health["agent_version"] = text(h.health.version);
    health["samples"] = h.samples;
    health["span_s"] = static_cast<double>(h.span_ns) / 1e9;
    health["whole_memory"] = h.all;
    Json& findings = health["findings"] = Json::array();
    for (const HealthFinding& f : h.findings) {
      Json one = {{"name", f.name},
                  {"title", f.title},
                  {"level", level_name(f.level)},
                  {"evidence", text(f.evidence)}};
      if (!f.fix.empty()) one["fix"] = text(f.fix);
      findings.push_back(std::move(one));
    }
  }
  out["missing"] = report.count(Level::missing);
  out["warnings"] = report.count(Level::warn);
  out["ready"] = report.count(Level::missing) == 0;
  return out.dump(2) + "\n";
}

}  // namespace mikroscope::cli
