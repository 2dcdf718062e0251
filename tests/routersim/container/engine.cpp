#include "tests/routersim/container/engine.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <fstream>
#include <iterator>

#include "tests/routersim/container/archive.h"
#include "tests/routersim/network.h"
#include "tests/routersim/state.h"
#include "tests/routersim/values.h"

namespace mikroscope::routersim {
namespace {

routeros::Arch native(const State& state) {
  if (state.config.arch == "arm64") return routeros::Arch::arm64;
  if (state.config.arch == "x86_64") return routeros::Arch::amd64;
  return state.config.board.empty() || state.config.board == "E50UG" ? routeros::Arch::armv5
                                                                     : routeros::Arch::armv7;
}

std::string signal_name(int number) {
  const char* text = strsignal(number);
  return text == nullptr ? "?" : text;
}

}  // namespace

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

void Engine::fail_extraction(Container& container, const std::string& line) {
  error(line);
  container.phase = Phase::failed;
  container.about = line;
}

void Engine::extracted(const std::string& id, Container& container) {
  Row& own = *row(id);
  if (!state_.faults.extract_error.empty()) return fail_extraction(container, state_.faults.extract_error);
  std::string tar;
  if (const std::string* reference = own.find("remote-image")) {
    const auto known = state_.config.registry.find(*reference);
    const Row& config = state_.setting("/container/config");
    const std::string host = reference->substr(0, reference->find('/'));
    const std::string what =
        fmt::format("download/extract error: fetch manifest failed: getting https://{}/v2/ failed: ", host);
    if (!config.text("username").empty() && config.text("registry-url").find(host) != std::string::npos)
      return fail_extraction(container, what + "auth error");
    if (known == state_.config.registry.end()) return fail_extraction(container, what + "resolving error");
    std::ifstream in(known->second, std::ios::binary);
    tar.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    const File* file = state_.files.find(own.text("file"));
    if (file == nullptr) return fail_extraction(container, "error: could not open file " + own.text("file"));
    tar = file->contents;
  }
  auto imported = import_archive(tar);
  if (!imported) return fail_extraction(container, imported.error());
  const std::string root = state_.files.clean(own.text("root-dir"));
  doomed_roots_.erase(root);
  if (!state_.files.make_directory(root, state_.now()))
    return fail_extraction(container, "error: cannot create root-dir " + root);
  container.arch = imported->arch;
  container.tag = imported->tag;
  container.image_id = imported->image_id;
  container.program = std::move(imported->program);
  container.phase = Phase::stopped;
  if (!own.has("name") && state_.at_least("7.19")) {
    std::string name = own.text(own.has("remote-image") ? "remote-image" : "tag");
    name = own.has("remote-image") ? name.substr(name.rfind('/') + 1)
                                   : container.tag.substr(container.tag.rfind('/') + 1);
    while (state_.table("/container").by("name", name) != nullptr) name += "-1";
    own.put("name", name);
  }
  info("*** download/extract done");
  if (container.start_queued) {
    container.start_queued = false;
    static_cast<void>(start(id));
  }
}

std::string Engine::why_not(const Row& own, const Container& container) const {
  const Row* dynamic = state_.table("/ip/dns").by("name", "dynamic");
  const std::string servers =
      state_.setting("/ip/dns").text("servers") + (dynamic == nullptr ? "" : dynamic->text("servers"));
  if (own.text("dns").empty() && servers.empty()) return "start failed: no DNS server";
  if (!state_.faults.start_error.empty()) return state_.faults.start_error;
  if (container.program.empty()) return "start failed: no command specified, set cmd or entrypoint";
  const routeros::Arch here = native(state_);
  if (container.arch == here) return "";
  const bool arm = here == routeros::Arch::armv5 || here == routeros::Arch::armv7;
  if (arm && container.arch == routeros::Arch::armv5) return "";
  if (arm && container.arch == routeros::Arch::armv7) return "exited with signal 4 (Illegal instruction)";
  return fmt::format("exited with status 255: execvp {}: Exec format error", routeros::kAgentPath);
}

std::vector<std::string> Engine::environment(const Row& own) const {
  const bool by_list = state_.at_least("7.20");
  const std::string wanted = "," + own.text(by_list ? "envlists" : "envlist") + ",";
  std::vector<std::string> env;
  for (const Row& entry : state_.table("/container/envs").rows) {
    const std::string list = entry.text(by_list ? "list" : "name");
    if (wanted.find("," + list + ",") == std::string::npos || entry.flag("disabled")) continue;
    const std::string key = by_list ? entry.text("key") : entry.text("key");
    env.push_back(key + "=" + entry.text("value"));
  }
  return env;
}

void Engine::begin(const std::string& id, Container& container) {
  const Row& own = *row(id);
  if (const std::string why = why_not(own, container); !why.empty()) return failed_run(id, container, why);
  const Row* veth = state_.interface(own.text("interface"));
  if (veth == nullptr) return failed_run(id, container, "start failed: interface not found");
  RunSpec spec;
  spec.id = id;
  spec.program = container.program;
  spec.arch = container.arch;
  spec.env = environment(own);
  spec.veth = veth->text("name");
  spec.address = veth->text("address").substr(0, veth->text("address").find(','));
  spec.gateway = veth->text("gateway");
  spec.privileged = own.flag("privileged");
  if (const std::string trouble = runner_->start(state_, spec); !trouble.empty())
    return failed_run(id, container, "start failed: " + trouble);
  container.phase = Phase::running;
  container.about.clear();
  info(fmt::format("*** started {}", routeros::kAgentPath));
  state_.network->refresh(state_);  // its veth is up now
}

void Engine::ended(const std::string& id, Container& container, const Exited& exited) {
  failed_run(id, container,
             exited.signalled
                 ? fmt::format("exited with signal {} ({})", exited.code, signal_name(exited.code))
                 : fmt::format("exited with status {}", exited.code));
}

void Engine::failed_run(const std::string& id, Container& container, const std::string& about) {
  error("*** error: " + about);
  container.about =
      about.find("signal 4") != std::string::npos ? "Process " + about + " : CPU not supported" : about;
  container.phase = Phase::stopped;
  const Row& own = *row(id);
  const std::string policy = own.text("restart-policy");
  const bool wanted = policy == "always" || (policy == "on-failure" && about != "exited with status 0");
  if (!wanted && !own.has("auto-restart-interval")) return;
  const std::string most = own.text("restart-max-count");
  if (wanted && !most.empty() && container.restarts >= std::stoll(most)) return;
  const auto interval = parse_span(own.text(wanted ? "restart-interval" : "auto-restart-interval"));
  container.retry_at = state_.now() + interval.value_or(10'000);
}

void Engine::watch_tar(const std::string& id, Container& container) {
  const Row& own = *row(id);
  const bool safe = container.phase == Phase::extracting || container.phase == Phase::failed ||
                    container.phase == Phase::deleting || !own.has("file") ||
                    own.flag("ignore-remote-image-change");
  if (safe || state_.files.exists(own.text("file"))) {
    container.tar_gone = -1;
    return;
  }
  if (container.tar_gone < 0) container.tar_gone = state_.now();
  if (state_.now() - container.tar_gone < state_.config.timing.tar_deleted) return;
  info("image changed, removing container");
  runner_->signal(id, SIGKILL);
  container.phase = Phase::deleting;
  container.due = state_.now();
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
