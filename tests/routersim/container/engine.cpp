#include "tests/routersim/container/engine.h"

#include <fmt/format.h>
#include <signal.h>

#include "tests/routersim/state.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim {

Engine::Engine(State& state) : state_(state), runner_(make_runner(state)) {}
Engine::~Engine() = default;

Row* Engine::row(const std::string& id) {
  return state_.table("/container").by_id(id);
}

const Row* Engine::row(const std::string& id) const {
  return static_cast<const State&>(state_).table("/container").by_id(id);
}

void Engine::info(std::string message) {
  state_.log.add("container,info,debug", std::move(message));
}

void Engine::error(std::string message) {
  state_.log.add("container,error", std::move(message));
}

void Engine::added(const Row& row) {
  Container container;
  const bool pull = row.has("remote-image");
  const std::int64_t takes = state_.faults.extract_ms >= 0 ? state_.faults.extract_ms
                             : pull                        ? state_.config.timing.pull
                                                           : state_.config.timing.extract;
  container.due = state_.now() + takes;
  info(pull ? fmt::format("downloading and extracting remote image: {}, arch:{}", row.text("remote-image"),
                          state_.config.arch)
            : std::string("extracting tar archived image"));
  containers_[row.text(".id")] = container;
}

std::optional<Trap> Engine::repull(const std::string& id) {
  Container& container = containers_.at(id);
  if (container.phase != Phase::stopped && container.phase != Phase::failed)
    return Trap{"failure: container is not stopped"};
  added(*row(id));
  return std::nullopt;
}

std::optional<Trap> Engine::start(const std::string& id) {
  Container& container = containers_.at(id);
  switch (container.phase) {
    case Phase::extracting:
      // Of a pull the start waits; of an archive it is refused.
      if (!row(id)->has("remote-image")) return Trap{"failure: cannot start container: still extracting"};
      container.start_queued = true;
      return std::nullopt;
    case Phase::stopped:
      container.phase = Phase::starting;
      container.due = state_.now() + state_.config.timing.start;
      container.retry_at = -1;
      container.restarts = 0;
      return std::nullopt;
    case Phase::failed:
      return Trap{"failure: cannot start container: download/extract failed"};
    default:
      return Trap{"failure: container is not stopped"};
  }
}

std::optional<Trap> Engine::stop(const std::string& id) {
  Container& container = containers_.at(id);
  if (container.retry_at >= 0 && container.phase == Phase::stopped) {
    container.retry_at = -1;
    return std::nullopt;
  }
  if (container.phase != Phase::running && container.phase != Phase::starting)
    return Trap{"failure: container is not running"};
  const auto patience = parse_span(row(id)->text("stop-time"));
  container.kill_at = state_.now() + patience.value_or(state_.config.timing.stop_kill);
  container.due = state_.now() + std::max<std::int64_t>(state_.faults.stop_ms, 0);
  if (container.phase == Phase::running) runner_->signal(id, SIGTERM);
  container.killed = container.phase == Phase::starting;
  container.phase = Phase::stopping;
  return std::nullopt;
}

std::optional<Trap> Engine::kill(const std::string& id) {
  if (containers_.at(id).phase != Phase::running) return Trap{"failure: container is not running"};
  runner_->signal(id, SIGKILL);
  return std::nullopt;
}

std::optional<Trap> Engine::remove(const std::string& id) {
  Container& container = containers_.at(id);
  if (state_.faults.remove_refused) return Trap{"failure: cannot remove running container"};
  if (container.phase == Phase::running || container.phase == Phase::stopping ||
      container.phase == Phase::starting)
    return Trap{"failure: cannot remove running container"};
  if (container.phase == Phase::deleting) return std::nullopt;
  info("removing files of " + row(id)->text("root-dir"));
  container.phase = Phase::deleting;
  container.due = state_.now() + state_.config.timing.remove;
  return std::nullopt;
}

void Engine::tick() {
  std::vector<std::string> ids;
  for (const auto& [id, container] : containers_) ids.push_back(id);
  for (const std::string& id : ids) {
    Container& container = containers_.at(id);
    const std::int64_t now = state_.now();
    if (container.phase == Phase::extracting && now >= container.due) extracted(id, container);
    if (container.phase == Phase::stopped && container.retry_at >= 0 && now >= container.retry_at) {
      container.retry_at = -1;
      ++container.restarts;
      container.phase = Phase::starting;
      container.due = now;
    }
    if (container.phase == Phase::starting && now >= container.due) begin(id, container);
    if (container.phase == Phase::running || container.phase == Phase::stopping) {
      std::vector<std::string> lines;
      auto exited = container.killed ? std::optional<Exited>({true, SIGKILL}) : runner_->poll(id, lines);
      if (row(id)->flag("logging")) {
        for (std::string& line : lines) info(std::move(line));
      }
      if (container.phase == Phase::stopping && !exited && now >= container.kill_at) {
        info("signal 15 (Terminated) not caught, kill immediately");
        runner_->signal(id, SIGKILL);
        container.kill_at = now + 1'000'000;
      }
      if (exited && container.phase == Phase::running) {
        ended(id, container, *exited);
      } else if (exited || container.killed) {
        container.killed = true;  // it has ended; the router may still take its time
        if (now >= container.due) {
          info("*** stopped");
          container.killed = false;
          container.phase = Phase::stopped;
          if (container.restart_queued) {
            container.restart_queued = false;
            static_cast<void>(start(id));
          }
        }
      }
    }
    watch_tar(id, container);
    if (container.phase == Phase::deleting && now >= container.due) {
      const std::string root = state_.files.clean(row(id)->text("root-dir"));
      if (!root.empty() && !state_.faults.keep_root)
        doomed_roots_[root] = now + state_.config.timing.remove_root - state_.config.timing.remove;
      std::erase_if(state_.table("/container").rows,
                    [&](const Row& other) { return other.text(".id") == id; });
      containers_.erase(id);
      info("remove done");
    }
  }
  for (auto it = doomed_roots_.begin(); it != doomed_roots_.end();) {
    if (state_.now() < it->second) {
      ++it;
      continue;
    }
    state_.files.remove(it->first);
    it = doomed_roots_.erase(it);
  }
}

void Engine::reboot_begins() {
  for (auto& [id, container] : containers_) {
    if (container.phase != Phase::running && container.phase != Phase::stopping) continue;
    runner_->signal(id, SIGKILL);
    std::vector<std::string> lines;
    runner_->poll(id, lines);
  }
}

void Engine::reboot_ends() {
  for (auto& [id, container] : containers_) {
    const Row& own = *row(id);
    const bool had_root = state_.files.exists(own.text("root-dir"));
    if (container.phase == Phase::deleting) continue;
    if (container.phase == Phase::extracting) {
      container.phase = Phase::failed;
      continue;
    }
    container.phase = container.phase == Phase::failed ? Phase::failed : Phase::stopped;
    container.restarts = 0;
    container.retry_at = -1;
    if (!had_root) container.program.clear();
    if (container.phase == Phase::stopped && own.flag("start-on-boot")) {
      container.phase = Phase::starting;
      container.due = state_.now() + state_.config.timing.start;
    }
  }
}

bool Engine::veth_running(std::string_view veth) const {
  for (const auto& [id, container] : containers_) {
    const Row* own = row(id);
    if (own == nullptr || own->text("interface") != veth) continue;
    if (container.phase == Phase::running || container.phase == Phase::stopping) return true;
  }
  return false;
}

std::string Engine::agent_at(const std::string& name) const {
  for (const auto& [id, container] : containers_) {
    if (container.phase != Phase::running) continue;
    const Row& own = *row(id);
    const Row* veth = state_.interface(own.text("interface"));
    const std::string address = veth == nullptr ? "" : veth->text("address");
    if (own.text("name") == name || own.text("comment") == name || own.text("interface") == name ||
        address.substr(0, address.find('/')) == name)
      return runner_->where(id);
  }
  return "";
}

void Engine::describe(Row& own) const {
  const auto found = containers_.find(own.text(".id"));
  if (found == containers_.end()) return;
  const Container& container = found->second;
  if (!container.tag.empty()) {
    own.put("tag", container.tag);
    own.put("os", "linux");
    own.put("arch",
            std::string(container.arch == routeros::Arch::armv5 || container.arch == routeros::Arch::armv7
                            ? "arm"
                            : routeros::arch_name(container.arch)));
  }
  if (!container.about.empty()) own.put(".about", container.about);
  struct Spelling {
    std::string_view status;  // up to 7.20
    std::string_view flag;    // from 7.21
  };
  constexpr Spelling kSpellings[] = {{"extracting", "downloading/extracting"},
                                     {"stopped", "stopped"},
                                     {"starting", "starting"},
                                     {"running", "running"},
                                     {"stopping", "stopping"},
                                     {"stopped", "deleting"},
                                     {"error", "download/extract failed"}};
  const Spelling& spelling = kSpellings[static_cast<std::size_t>(container.phase)];
  if (!state_.at_least("7.21")) {
    own.put("status", std::string(spelling.status));
    return;
  }
  own.put(spelling.flag, "true");
  own.put("restart-count", std::to_string(container.restarts));
  if (!container.image_id.empty()) own.put("image-id", container.image_id);
  if (container.phase == Phase::running) {
    own.put("memory-current", "6291456");
    own.put("cpu-usage", "0.4%");
  }
}

}  // namespace mikroscope::routersim
