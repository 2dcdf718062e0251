#include "routeros/deploy/apply_container.h"

#include <fmt/format.h>

#include <algorithm>

#include "routeros/deploy/apply_advice.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/step_names.h"
#include "routeros/session/text.h"
#include "routeros/session/value.h"

namespace mikroscope::routeros {
namespace {

constexpr std::int64_t kFileNs = 30 * kSecondNs;
constexpr std::int64_t kStartNs = 15 * kSecondNs;
constexpr std::int64_t kSettleNs = 1 * kSecondNs;
constexpr std::int64_t kStopNs = 30 * kSecondNs;
constexpr std::int64_t kGoneNs = 20 * kSecondNs;
constexpr std::int64_t kRootNs = 10 * kSecondNs;
constexpr std::size_t kLogLines = 5;

std::vector<std::string> container_properties() {
  std::vector<std::string> out;
  if (const MenuDef* menu = find_menu("/container")) {
    for (const std::string_view name : menu->proplist) out.emplace_back(name);
  }
  return out;
}

// The container of that id; nothing when it is gone.
base::Result<std::optional<Row>> container_now(const Link& link, const std::string& tag,
                                               const std::string& id) {
  base::Result<std::vector<Row>> rows = tagged_containers(link, tag);
  if (!rows.ok()) return std::move(rows).error();
  for (Row& row : *rows) {
    if (row.id() == id) return std::optional(std::move(row));
  }
  return std::optional<Row>();
}

bool stands_still(ContainerState state) {
  return state != ContainerState::running && state != ContainerState::stopping &&
         state != ContainerState::starting;
}

base::Result<bool> held_by_other(const Link& link, const std::string& root, const std::string& id) {
  const Answer<std::vector<Row>> all = link.session.print({"/container", {"root-dir"}, {}});
  if (!all.ok()) return link.error(all.error());
  return std::any_of(all->begin(), all->end(), [&](const Row& row) {
    return row.id() != id && without_slash(row.text("root-dir")) == root;
  });
}

}  // namespace

base::Result<std::vector<Row>> tagged_containers(const Link& link, const std::string& tag) {
  Answer<std::vector<Row>> rows =
      link.session.print({"/container", container_properties(), {{"comment", tag}}});
  if (!rows.ok()) return link.error(rows.error());
  std::erase_if(*rows, [&tag](const Row& row) { return row.text("comment") != tag; });
  return std::move(*rows);
}

base::Result<std::optional<Row>> find_file(const Link& link, const std::string& name) {
  Answer<std::vector<Row>> rows = link.session.print({"/file", {"name", "type", "size"}, {{"name", name}}});
  if (!rows.ok()) return link.error(rows.error());
  for (Row& row : *rows) {
    if (without_slash(row.text("name")) == name) return std::optional(std::move(row));
  }
  return std::optional<Row>();
}

base::Result<void> wait_for_file(const Link& link, const std::string& name, std::uint64_t bytes) {
  std::string seen = "not listed";
  const base::Result<bool> there = poll_until(link.pace, kFileNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> file = find_file(link, name);
    if (!file.ok()) return file.error();
    if (!*file) return false;
    const std::optional<std::uint64_t> size = parse_bytes((*file)->text("size"));
    seen = fmt::format("listed with {} bytes", size.value_or(0));
    return size == bytes;
  });
  if (!there.ok()) return there.error();
  if (*there) return {};
  return base::Error{
      fmt::format("{}: {} has {} bytes but is {} after {} s", link.session.router(), name, bytes, seen,
                  kFileNs / kSecondNs),
      "look at the router's free space (/system/resource, /disk), then run the same command again"};
}

base::Result<bool> remove_file(const Link& link, const std::string& name) {
  const base::Result<std::optional<Row>> file = find_file(link, name);
  if (!file.ok()) return file.error();
  if (!*file) return false;
  const Answer<void> removed = link.session.remove("/file", std::string((*file)->id()));
  if (!removed.ok()) {
    const DeviceError* const device = device_error(removed.error());
    if (device == nullptr || !device->no_such_item()) return link.error(removed.error());
  }
  const base::Result<bool> gone = poll_until(link.pace, kFileNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> now = find_file(link, name);
    if (!now.ok()) return now.error();
    return !now->has_value();
  });
  if (!gone.ok()) return gone;
  if (*gone) return true;
  return base::Error{fmt::format("{}: {} is still listed {} s after it was removed", link.session.router(),
                                 name, kFileNs / kSecondNs),
                     "run the same command again in a minute"};
}

base::Result<void> wait_extracted(const Link& link, const std::string& tag, const std::string& id,
                                  std::uint32_t deadline_s,
                                  const std::function<void(ContainerState)>& on_state) {
  std::optional<ContainerState> last;
  const base::Result<bool> ready = poll_until(link.pace, deadline_s * kSecondNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> now = container_now(link, tag, id);
    if (!now.ok()) return now.error();
    if (!*now) {
      return with_log(link, "the router removed the container while it unpacked the image",
                      "run `mikroscope install` again");
    }
    const ContainerState state = container_state(**now);
    if (state != last && on_state) on_state(state);
    last = state;
    if (state == ContainerState::failed) {
      return with_log(link, "the router could not unpack or pull the image",
                      "run `mikroscope install` again once that is mended");
    }
    return state == ContainerState::stopped || state == ContainerState::running ||
           state == ContainerState::starting;
  });
  if (!ready.ok()) return ready.error();
  if (*ready) return {};
  return with_log(link,
                  fmt::format("the container is still \"{}\" after {} s",
                              state_name(last.value_or(ContainerState::unknown)), deadline_s),
                  "run the same command again to go on waiting, with a longer --extract-timeout");
}

base::Result<void> start_container(const Link& link, const std::string& tag, const std::string& id) {
  const std::string log_before = log_end(link.session);
  bool asked = false;
  std::int64_t asked_ns = 0;
  ContainerState last = ContainerState::unknown;
  const base::Result<bool> running = poll_until(link.pace, kStartNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> now = container_now(link, tag, id);
    if (!now.ok()) return now.error();
    if (!*now) {
      return with_log(link, "the router removed the container instead of starting it",
                      "run `mikroscope install` again", log_before);
    }
    last = container_state(**now);
    if (last == ContainerState::running) return true;
    if (last == ContainerState::starting) return false;
    if (last == ContainerState::failed)
      return with_log(link, "the container could not be started", "", log_before);
    if (!asked) {
      asked = true;
      asked_ns = link.pace.now_ns();
      const Answer<std::vector<Row>> started = link.session.call({"/container/start", {{".id", id}}});
      if (started.ok()) return false;
      const DeviceError* const device = device_error(started.error());
      if (device == nullptr) return link.error(started.error());
      return with_log(link, fmt::format("{}: {}", device->doing, printable(device->message)),
                      link.error(started.error()).fix, log_before);
    }
    // The router may try it again and again; one that ended by an error is not waited for.
    if (link.pace.now_ns() - asked_ns < kSettleNs) return false;
    const std::vector<std::string> lines = container_log(link.session, kLogLines, log_before);
    if (find_advice(lines) == nullptr) return false;
    return with_log(link, "the container does not run", "", log_before);
  });
  if (!running.ok()) return running.error();
  if (*running) return {};
  return with_log(link,
                  fmt::format("the container does not run: it is \"{}\" {} s after it was started",
                              state_name(last), kStartNs / kSecondNs),
                  "see the router's log: /log/print where topics~\"container\"", log_before);
}

base::Result<void> stop_container(const Link& link, const std::string& tag, const std::string& id) {
  bool asked = false;
  const base::Result<bool> still = poll_until(link.pace, kStopNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> now = container_now(link, tag, id);
    if (!now.ok()) return now.error();
    if (!*now || stands_still(container_state(**now))) return true;
    if (asked || container_state(**now) == ContainerState::stopping) return false;
    const Answer<std::vector<Row>> done = link.session.call({"/container/stop", {{".id", id}}});
    // One that starts, or that has just ended by itself, is not stopped: the next look tells.
    const DeviceError* const refused = done.ok() ? nullptr : device_error(done.error());
    if (!done.ok() && (refused == nullptr || refused->not_permitted())) return link.error(done.error());
    asked = done.ok();
    return false;
  });
  if (!still.ok()) return still.error();
  if (*still) return {};
  return with_log(link, fmt::format("the container did not stop within {} s", kStopNs / kSecondNs),
                  "run the same command again");
}

base::Result<void> remove_container(const Link& link, const std::string& tag, const Row& container) {
  const std::string id(container.id());
  const std::string root(without_slash(container.text("root-dir")));
  base::Result<void> stopped = stop_container(link, tag, id);
  if (!stopped.ok()) return stopped;
  std::string refusal;
  const base::Result<bool> gone = poll_until(link.pace, kGoneNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> now = container_now(link, tag, id);
    if (!now.ok()) return now.error();
    if (!*now) return true;
    if (container_state(**now) == ContainerState::deleting) return false;
    const Answer<void> removed = link.session.remove("/container", id);
    if (!removed.ok()) {
      const DeviceError* const device = device_error(removed.error());
      if (device == nullptr) return link.error(removed.error());
      refusal = printable(device->message);
    }
    return false;
  });
  if (!gone.ok()) return gone.error();
  if (!*gone) {
    return with_log(link,
                    fmt::format("the container is still there {} s after its removal{}", kGoneNs / kSecondNs,
                                refusal.empty() ? "" : ": " + refusal),
                    "run the same command again");
  }
  if (root.empty()) return {};
  // The router deletes the directory a moment later.
  const base::Result<bool> cleared = poll_until(link.pace, kRootNs, [&]() -> base::Result<bool> {
    const base::Result<std::optional<Row>> now = find_file(link, root);
    if (!now.ok()) return now.error();
    return !now->has_value();
  });
  if (!cleared.ok()) return cleared.error();
  if (*cleared) return {};
  const base::Result<bool> held = held_by_other(link, root, id);
  if (!held.ok()) return held.error();
  if (*held) return {};
  const base::Result<bool> removed = remove_file(link, root);
  if (!removed.ok()) return removed.error();
  return {};
}

base::Error with_log(const Link& link, std::string what, std::string fix, const std::string& after) {
  const std::vector<std::string> lines = container_log(link.session, kLogLines, after);
  std::string text = fmt::format("{}: {}", link.session.router(), what);
  if (!lines.empty()) text += fmt::format("{}{}", kLogWords, fmt::join(lines, " | "));
  if (const Advice* advice = find_advice(lines)) {
    text += fmt::format(" ({})", advice->meaning);
    fix = std::string(advice->fix);
  }
  return {std::move(text), std::move(fix)};
}

}  // namespace mikroscope::routeros
