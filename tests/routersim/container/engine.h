// The life of containers: extracting, stopped, starting, running, stopping, deleted. Driven by tick() and the
// double's clock. Whoever calls holds the router's lock.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "routeros/image.h"
#include "tests/routersim/container/runner.h"
#include "tests/routersim/request.h"

namespace mikroscope::routersim {

struct State;

class Engine {
 public:
  explicit Engine(State& state);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void added(const Row& row);  // extraction begins
  std::optional<Trap> start(const std::string& id);
  std::optional<Trap> stop(const std::string& id);
  std::optional<Trap> kill(const std::string& id);
  std::optional<Trap> remove(const std::string& id);
  void start_after_stop(const std::string& id) { containers_.at(id).restart_queued = true; }
  std::optional<Trap> repull(const std::string& id);
  // What only the router knows about a container: its state, image, counters.
  void describe(Row& row) const;

  void tick();
  void reboot_begins();  // everything ends at once
  void reboot_ends();    // start-on-boot
  bool veth_running(std::string_view veth) const;
  // By container name, comment or address of its veth.
  std::string agent_at(const std::string& name) const;

 private:
  enum class Phase { extracting, stopped, starting, running, stopping, deleting, failed };
  struct Container {
    Phase phase = Phase::extracting;
    std::int64_t due = 0;        // when the phase ends, where time decides
    std::int64_t kill_at = 0;    // stopping
    std::int64_t retry_at = -1;  // a restart after a failure
    std::int64_t tar_gone = -1;  // since when its archive is missing
    int restarts = 0;
    bool start_queued = false;
    bool restart_queued = false;
    bool killed = false;
    std::string about;
    std::string program;
    routeros::Arch arch = routeros::Arch::arm64;
    std::string tag;
    std::string image_id;
  };

  Row* row(const std::string& id);
  const Row* row(const std::string& id) const;
  void info(std::string message);
  void error(std::string message);
  void extracted(const std::string& id, Container& container);
  void fail_extraction(Container& container, const std::string& line);
  void begin(const std::string& id, Container& container);
  void ended(const std::string& id, Container& container, const Exited& exited);
  void watch_tar(const std::string& id, Container& container);
  void failed_run(const std::string& id, Container& container, const std::string& about);
  std::string why_not(const Row& row, const Container& container) const;
  std::vector<std::string> environment(const Row& row) const;

  State& state_;
  std::map<std::string, Container> containers_;
  std::map<std::string, std::int64_t> doomed_roots_;  // path -> when it goes
  std::unique_ptr<Runner> runner_;
};

}  // namespace mikroscope::routersim
