#include "tests/routersim/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/routersim/container/engine.h"
#include "tests/routersim/menu.h"
#include "tests/routersim/network.h"
#include "tests/routersim/presets.h"
#include "tests/routersim/state.h"
#include "tests/routersim/ticker.h"

namespace mikroscope::routersim {
namespace {

Config completed(Config config) {
  if (config.clock == nullptr) config.clock = std::make_shared<RealClock>();
  if (config.channel.empty()) config.channel = default_channel(parse_ros(config.ros));
  return config;
}

Faults wanted(const Config& config) {
  Faults faults;
  for (const std::string& spec : config.faults) apply_fault(faults, spec);
  return faults;
}

bool writes(const Menu& menu, const Request& request) {
  const Attributes& given = request.attributes;
  if (request.verb == "print" || request.verb == "getall") return given.has("file");
  if (request.verb == "fetch") return given.has("dst-path") || given.text("output") == "file";
  return menu.verb_writes(request.verb);
}

// A router says true and false over the API; some versions and ways say yes and no.
void respell(std::vector<Row>& rows) {
  for (Row& row : rows) {
    for (const auto& [name, value] : Row(row)) {
      if (value == "true" || value == "false") row.put(name, value == "true" ? "yes" : "no");
    }
  }
}

}  // namespace

Router::Router(Config config) : config_(completed(std::move(config))) {
  if (!config_.request_log.empty()) requests_.to_file(config_.request_log);
  state_ = std::make_unique<State>(config_, wanted(config_));
  state_->lock = &lock_;
  state_->menus = std::make_unique<Menus>();
  state_->booted_ms = state_->now();
  load_presets(*state_);
  state_->network = make_network(*state_);
  state_->engine = std::make_unique<Engine>(*state_);
  state_->network->refresh(*state_);
  state_->log.add("system,info", "router rebooted");
  if (config_.clock->real()) {
    ticker_ = std::make_unique<Ticker>([this] { tick(); });
  }
}

Router::~Router() {
  ticker_.reset();
  const std::lock_guard hold(lock_);
  state_->engine.reset();
  state_->network.reset();
}

Outcome Router::execute(const User& user, const Request& request) {
  Outcome outcome;
  {
    const std::lock_guard hold(lock_);
    state_->engine->tick();
    outcome = run(user, request);
  }
  if (outcome.later) {
    const auto work = std::move(outcome.later);
    outcome = work();
  }
  if (config_.words_yes_no) respell(outcome.rows);
  return outcome;
}

Outcome Router::run(const User& user, const Request& request) {
  State& state = *state_;
  Logged entry;
  entry.at_ms = state.now();
  entry.user = user.name;
  entry.via = user.via;
  entry.menu = request.menu.empty() ? "/" : request.menu;
  entry.verb = request.verb;
  entry.attributes = request.attributes;
  entry.query = request.query;
  entry.where = request.where != nullptr;
  const auto refuse = [&](std::string message, int category = -1) {
    entry.trap = message;
    requests_.add(entry);
    return Outcome::trap(std::move(message), category);
  };

  if (entry.menu == "/" && request.verb == "export") {
    Outcome outcome;
    outcome.ret = export_text();
    requests_.add(entry);
    return outcome;
  }
  Menu* menu = state.menus->find(entry.menu);
  if (menu == nullptr || !menu->present(state) || state.faults.no_menu.contains(entry.menu))
    return refuse("no such command prefix", 0);
  if (!menu->has_verb(state, request.verb)) return refuse("no such command", 0);
  entry.writes = writes(*menu, request);
  if (!user.may(menu->verb_policy(request.verb)) || state.faults.no_read.contains(entry.menu))
    return refuse("not enough permissions (9)");
  for (std::string* once : {&state.faults.cut_once, &state.faults.fatal_once}) {
    if (once->empty() || *once != entry.menu) continue;
    once->clear();
    entry.trap = "(the connection ends)";
    requests_.add(entry);
    Outcome outcome;
    (once == &state.faults.cut_once ? outcome.cut : outcome.quit) = true;
    return outcome;
  }

  if (entry.writes) {
    const std::int64_t number = ++state.writes;
    if (number == state.faults.fail_write) return refuse("failure: simulated");
    if (number == state.faults.cut_before_write) {
      entry.trap = "(connection cut before it)";
      requests_.add(entry);
      Outcome outcome;
      outcome.cut = true;
      return outcome;
    }
  }
  Outcome outcome = menu->execute(state, user, request);
  if (!outcome.traps.empty()) entry.trap = outcome.traps.front().message;
  requests_.add(entry);
  if (!entry.writes) return outcome;
  state.network->refresh(state);
  if (state.writes == state.faults.print_on_write) outcome.printed = "warning: simulated";
  if (state.writes == state.faults.cut_after_write) outcome.cut = true;
  if (state.writes == state.faults.reboot_at_write || request.verb == "reboot") {
    reboot();
    outcome.cut = true;
  }
  return outcome;
}

void Router::tick() {
  const std::lock_guard hold(lock_);
  if (state_->engine != nullptr) state_->engine->tick();
}

void Router::reboot() {
  const std::lock_guard hold(lock_);
  State& state = *state_;
  state.engine->reboot_begins();
  state.files.lose_volatile(config_.flash_directory);
  state.booted_ms = state.now();
  ++state.boots;
  state.log = Log();
  state.log.add("system,info", "router rebooted");
  state.engine->reboot_ends();
}

std::uint64_t Router::boots() const {
  const std::lock_guard hold(lock_);
  return state_->boots;
}

std::optional<std::string> Router::set_fault(const std::string& spec) {
  const std::lock_guard hold(lock_);
  return apply_fault(state_->faults, spec);
}

void Router::clear_faults() {
  const std::lock_guard hold(lock_);
  state_->faults = {};
}

Faults Router::faults() const {
  const std::lock_guard hold(lock_);
  return state_->faults;
}

std::vector<LogLine> Router::log_lines() const {
  const std::lock_guard hold(lock_);
  return {state_->log.lines().begin(), state_->log.lines().end()};
}

void Router::log(const std::string& topics, const std::string& message) {
  const std::lock_guard hold(lock_);
  state_->log.add(topics, message);
}

std::string Router::export_text() const {
  const std::lock_guard hold(lock_);
  std::vector<std::string> parts;
  for (const auto& menu : state_->menus->all()) parts.push_back(menu->exported(*state_));
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

std::vector<Row> Router::rows(const std::string& path) const {
  const std::lock_guard hold(lock_);
  const Menu* menu = state_->menus->find(path);
  if (menu == nullptr || !menu->present(*state_) || state_->booting()) return {};
  std::vector<Row> all = menu->rows(*state_);
  if (config_.words_yes_no) respell(all);
  return all;
}

bool Router::at_least(std::string_view version) const {
  return state_->at_least(version);
}

std::string Router::agent_at(const std::string& name) const {
  const std::lock_guard hold(lock_);
  return state_->engine->agent_at(name);
}

void Router::in_router_network(const std::function<void()>& work) const {
  state_->network->in_router(work);
}

int Router::router_pid() const {
  return state_->network->router_pid();
}

int Router::lan_pid() const {
  return state_->network->lan_pid();
}

int Router::wan_pid() const {
  return state_->network->wan_pid();
}

std::string Router::trouble() const {
  return state_->network->trouble();
}

}  // namespace mikroscope::routersim
