#include "routeros/deploy/apply_advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/session/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::string_view kCutShort =
    "the container's files are damaged, which happens when the power is cut within about 45 s of an "
    "installation";
constexpr std::string_view kReinstall =
    "install it anew: `mikroscope upgrade`, and leave the router powered for a minute";

constexpr Advice kAdvice[] = {
    {"signal 4", "the router's processor does not run this agent's instructions",
     "install the agent for the oldest ARM: `mikroscope upgrade --arch armv5`"},
    {"illegal instruction", "the router's processor does not run this agent's instructions",
     "install the agent for the oldest ARM: `mikroscope upgrade --arch armv5`"},
    {"exec format error", kCutShort, kReinstall},
    {"signal 11", kCutShort, kReinstall},
    {"segmentation fault", kCutShort, kReinstall},
    {"no command specified", "this RouterOS did not take the program's path from the container or its image",
     "install it anew: `mikroscope upgrade` gives the path explicitly"},
    {"could not find image manifest", "the image's file has a layout that RouterOS cannot read",
     "write it with `mikroscope image`, which uses the layout that it can"},
    {"no manifest found for this architecture", "the registry has no image for this router",
     "leave out --remote-image: the built-in image is then uploaded"},
    {"auth error", "the registry refused the router, often because a credential for another one is set",
     "look at /container/config, or leave out --remote-image: the built-in image is then uploaded"},
    {"resolving error", "the router could not resolve the registry's name",
     "look at /ip/dns, or leave out --remote-image: the built-in image is then uploaded"},
    {"no space left", "the disk is full", "free some of it, or use another one: --disk, --ephemeral"},
    {"not enough space", "the disk is full", "free some of it, or use another one: --disk, --ephemeral"},
    {"not allowed by device-mode", "device-mode forbids containers",
     "on the router: /system/device-mode/update container=yes, and confirm at the device within 5 minutes"},
    {"exited with status", "the agent ended by itself; its own words stand before this line",
     "mikroscope status shows more once it runs; see `mikroscope doctor`"},
};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return out;
}

}  // namespace

std::span<const Advice> all_advice() {
  return kAdvice;
}

const Advice* find_advice(const std::vector<std::string>& log_lines) {
  for (auto line = log_lines.rbegin(); line != log_lines.rend(); ++line) {
    const std::string text = lower(*line);
    for (const Advice& advice : kAdvice) {
      if (text.find(advice.words) != std::string::npos) return &advice;
    }
  }
  return nullptr;
}

std::string log_end(Session& session) {
  const Answer<std::vector<Row>> rows = session.print({"/log", {"topics"}, {}});
  return rows.ok() && !rows->empty() ? std::string(rows->back().id()) : std::string();
}

std::vector<std::string> container_log(Session& session, std::size_t most, const std::string& after) {
  std::vector<std::string> out;
  const Answer<std::vector<Row>> rows = session.print({"/log", {"time", "topics", "message"}, {}});
  if (!rows.ok()) return out;
  for (const Row& row : *rows) {
    if (!after.empty() && row.id() == after) out.clear();
    if (row.id() == after) continue;
    const std::vector<std::string_view> topics = split_list(row.text("topics"));
    if (std::find(topics.begin(), topics.end(), "container") == topics.end()) continue;
    out.push_back(printable(fmt::format("{} {}", row.text("time"), row.text("message"))));
  }
  if (out.size() > most) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(most));
  return out;
}

}  // namespace mikroscope::routeros
