#include "tests/routersim/container/runner.h"

#include <signal.h>

#include <map>

#include "tests/routersim/container/processes.h"
#include "tests/routersim/state.h"

namespace mikroscope::routersim {
namespace {

// Containers that only pretend: they run until they are signalled.
class Pretended final : public Runner {
 public:
  explicit Pretended(const State& state) : state_(state) {}
  std::string start(const State&, const RunSpec& spec) override {
    ends_[spec.id] = {-1, {}};
    return "";
  }
  std::optional<Exited> poll(const std::string& id, std::vector<std::string>&) override {
    const auto found = ends_.find(id);
    if (found == ends_.end() || found->second.at < 0 || state_.now() < found->second.at) return std::nullopt;
    const Exited how = found->second.how;
    ends_.erase(found);
    return how;
  }
  void signal(const std::string& id, int number) override {
    const auto found = ends_.find(id);
    if (found == ends_.end()) return;
    if (number == SIGKILL) {
      found->second = {state_.now(), {true, SIGKILL}};
    } else {
      found->second = {state_.now() + state_.config.timing.stop, {false, 0}};
    }
  }
  std::string where(const std::string&) const override { return ""; }

 private:
  struct End {
    std::int64_t at = -1;  // -1: none in sight
    Exited how;
  };
  const State& state_;
  std::map<std::string, End> ends_;
};

}  // namespace

std::unique_ptr<Runner> make_runner(const State& state) {
  if (state.config.run == RunMode::none) return std::make_unique<Pretended>(state);
  return make_process_runner(state);
}

}  // namespace mikroscope::routersim
