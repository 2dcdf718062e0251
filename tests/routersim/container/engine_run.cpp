// Extraction, the start, and what a failed run leads to.
#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <fstream>
#include <iterator>

#include "tests/routersim/container/archive.h"
#include "tests/routersim/container/engine.h"
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
    env.push_back(entry.text("key") + "=" + entry.text("value"));
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

}  // namespace mikroscope::routersim
