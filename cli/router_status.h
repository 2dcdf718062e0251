// The router's half of `mikroscope status`: what is installed, whether it is whole, and whether it runs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/host/result.h"
#include "cli/signals.h"
#include "routeros/deploy/facts.h"
#include "routeros/deploy/options.h"
#include "routeros/deploy/shape.h"
#include "routeros/deploy/uninstall.h"
#include "routeros/session/session.h"

namespace mikroscope::cli {

struct RouterStatus {
  std::string router;
  std::string version;
  std::string board;
  std::string architecture;
  routeros::Shape shape;
  // What the installation should have, and how much of it is there: the family of steps, there, planned.
  struct Part {
    std::string family;
    int there = 0;
    int planned = 0;
    std::vector<std::string> differences;
  };
  std::vector<Part> parts;
  int tagged = 0;                      // objects that are ours, all told
  std::vector<std::string> leftovers;  // ours, but not part of the installation as it is recorded
  std::vector<std::string> unreadable;
  std::string container;              // its state; empty: there is none
  std::optional<std::string> memory;  // what the router says that it uses
  std::optional<std::string> restarts;
  std::vector<std::string> log;  // the last lines about containers, when it does not run
  std::string meaning;           // what they mean
  std::string advice;

  bool runs() const { return container == "running" || container == "starting"; }
};

// Reads only. Nothing installed is no error.
base::Result<RouterStatus> read_router_status(routeros::Session& session, const std::string& installation,
                                              const StopSignals& signals);

void print_router_status(const RouterStatus& status);
nlohmann::ordered_json router_status_json(const RouterStatus& status);

}  // namespace mikroscope::cli
