#include "cli/agent_health.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "routeros/session/text.h"

namespace mikroscope::cli {
namespace {

using Level = HealthFinding::Level;

constexpr std::uint64_t kMostSamples = 10'000;
constexpr std::uint32_t kPerPull = 1000;
constexpr std::int64_t kMostNs = 10 * base::kNsPerSecond;  // through the router a pull can take a second

// From here on it is no accident.
constexpr std::uint64_t kLoops = 3;
constexpr std::uint64_t kChurns = 3;
constexpr std::uint64_t kFlaps = 2;

std::string times(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ", ") + item;
}

HealthFinding finding(std::string_view name, std::string_view title, const std::string& evidence,
                      std::string_view fine, std::string_view fix) {
  if (evidence.empty()) return {name, title, Level::ok, std::string(fine), ""};
  return {name, title, Level::warn, evidence, std::string(fix)};
}

// Whether the agent has its source "kmsg". An agent that does not say: taken as yes, its records show it.
bool reads_kernel_log(AgentLink& link) {
  const base::Result<std::string> text = link.fetch("/capabilities");
  if (!text.ok()) return true;
  const nlohmann::json all = nlohmann::json::parse(*text, nullptr, false);
  if (!all.is_object() || !all.contains("sources") || !all["sources"].is_object()) return true;
  const nlohmann::json& sources = all["sources"];
  if (!sources.contains("kmsg") || !sources["kmsg"].is_object()) return false;
  return sources["kmsg"].value("status", "ok") == "ok";
}

}  // namespace

void HealthEye::take(const proc::Item& item) {
  if (const auto* const record = std::get_if<proc::LogRecord>(&item)) {
    if (record->interface.empty()) return;
    Port& port = ports_[record->interface];
    if (record->kind == "own-address") ++port.own_address;
    if (record->kind == "stp-learning") ++port.learning;
    if (record->kind == "stp-forwarding") ++port.forwarding;
    if (record->kind == "link-down") ++port.link_downs;
  } else if (const auto* const frame = std::get_if<proc::Frame>(&item)) {
    if (samples_++ == 0) first_ns_ = frame->head.boot_ns;
    last_ns_ = frame->head.boot_ns;
    softnet(*frame);
  }
}

void HealthEye::softnet(const proc::Frame& frame) {
  const int table = frame.layout->find("softnet");
  if (table < 0) return;
  const auto t = static_cast<std::uint32_t>(table);
  const proc::Table& softnet = frame.layout->tables[t];
  const int column = softnet.schema->column("dropped");
  if (column < 0 || t >= frame.rows.size()) return;
  for (std::uint32_t row = 0; row < frame.rows[t]; ++row) {
    const std::optional<std::int64_t> dropped = frame.cell(t, row, static_cast<std::uint32_t>(column));
    if (!dropped) continue;
    softnet_seen_ = true;
    if (*dropped > 0) drops_[softnet.keys[row].part[0]] += static_cast<std::uint64_t>(*dropped);
  }
}

std::int64_t HealthEye::span_ns() const {
  return last_ns_ - first_ns_;
}

std::vector<HealthFinding> HealthEye::findings(bool kernel_log) const {
  std::string loops;
  std::string churns;
  std::string flaps;
  for (const auto& [name, port] : ports_) {
    const std::string shown = routeros::printable(name);
    if (port.own_address >= kLoops)
      append(loops, fmt::format("{} on {}", times(port.own_address, "frame"), shown));
    if (port.learning >= port.forwarding + kChurns)
      append(churns, fmt::format("{} began learning {} and forwarded after {}", shown,
                                 times(port.learning, "time"), port.forwarding));
    if (port.link_downs >= kFlaps)
      append(flaps, fmt::format("{} went down {}", shown, times(port.link_downs, "time")));
  }
  std::string drops;
  for (const auto& [cpu, count] : drops_)
    append(drops, fmt::format("{} on CPU {}", times(count, "packet"), cpu));

  std::vector<HealthFinding> out = {
      finding(
          "layer-2-loop", "no frame came back to where it left", loops, "none seen",
          "two ports of a bridge are joined outside the router: find the cable or switch behind that port, "
          "and turn on RSTP with `/interface/bridge/set BRIDGE protocol-mode=rstp`"),
      finding("stp-churn", "bridge ports stay in their state", churns, "none seen",
              "something behind the port keeps the spanning tree from settling: see "
              "`/interface/bridge/port/monitor [find interface=PORT]`"),
      finding("link-flap", "links stay up", flaps, "none seen",
              "check the cable, the connector and the other side; `/interface/ethernet/print stats` counts "
              "their errors"),
  };
  const bool nothing_seen = samples_ == 0 && ports_.empty();
  if (!kernel_log || nothing_seen) {
    for (HealthFinding& f : out) {
      f.level = Level::skip;
      f.evidence = kernel_log ? "the agent has no samples yet"
                              : "the agent cannot read the kernel's log: it runs without privileges";
      f.fix.clear();
    }
  }
  out.push_back(finding(
      "softnet-drops", "no packet was dropped on its way to the kernel", drops, softnet_seen_ ? "none" : "",
      "that CPU could not keep up: `mikroscope record` and `mikroscope plot` show when, and "
      "what it did then"));
  if (!softnet_seen_) {
    out.back().level = Level::skip;
    out.back().evidence = "the agent has no samples of it";
  }
  return out;
}

base::Result<AgentHealth> read_agent_health(AgentLink& link) {
  base::Result<Health> health = link.health();
  if (!health.ok()) return std::move(health).error();
  AgentHealth out;
  out.health = std::move(*health);
  const bool kernel_log = reads_kernel_log(link);
  HealthEye eye;
  PullRequest request;
  request.max = kPerPull;
  request.cursor.from = Cursor::From::oldest;
  const std::uint64_t newest = out.health.newest_seq.value_or(0);
  if (newest > kMostSamples && newest - kMostSamples > out.health.oldest_seq) {
    request.cursor = {Cursor::From::after, newest - kMostSamples, out.health.instance};
    out.all = false;
  }
  std::uint64_t last = 0;
  const OnLine on_line = [&](const Line& line) -> base::Result<void> {
    if (line.item == nullptr) return {};
    if (const auto* const frame = std::get_if<proc::Frame>(line.item)) last = frame->head.seq;
    eye.take(*line.item);
    return {};
  };
  const std::int64_t end_ns = base::monotonic_ns() + kMostNs;
  while (newest > 0) {
    base::Result<PullResult> pulled = link.pull(request, nullptr, on_line);
    if (!pulled.ok()) return std::move(pulled).error();
    if (!pulled->full || last >= newest || pulled->frames == 0) break;
    if (base::monotonic_ns() > end_ns) {
      out.all = false;
      break;
    }
    request.cursor = {Cursor::From::after, last, pulled->instance};
  }
  out.findings = eye.findings(kernel_log);
  out.samples = eye.samples();
  out.span_ns = eye.span_ns();
  return out;
}

}  // namespace mikroscope::cli
