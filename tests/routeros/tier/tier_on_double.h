// An ApiTier and the double that it asks. Time of both is moved by advance() only.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "routeros/tier/api_tier.h"
#include "tests/routersim/api/api_server.h"

namespace mikroscope::test {

constexpr std::int64_t kSecond = 1'000'000'000;
// 2026-09-10T00:26:40Z
constexpr std::int64_t kWall = 1'789'000'000 * kSecond;

class TierOnDouble {
 public:
  explicit TierOnDouble(routeros::ApiTierOptions options, routersim::Config config = {},
                        std::int64_t timeout_ms = 5000);

  // What the round at this moment makes.
  std::vector<model::Event> round();
  // A second later.
  std::vector<model::Event> next_round();
  void advance(std::int64_t ms);
  // As an administrator on the router's own console.
  routersim::Outcome run(const std::string& command, routersim::Attributes attributes = {});
  // Commands that the tier sent since the last call, with repetitions, without logins.
  std::vector<std::string> asked();
  std::size_t asked(const std::string& command);
  std::string lines() const;  // what the tier said, one a line
  void restart_server();      // all connections end; a new port would be another router
  routeros::ApiTarget target() const;

  std::shared_ptr<routersim::FakeClock> clock = std::make_shared<routersim::FakeClock>();
  routersim::Router router;
  std::unique_ptr<routersim::ApiServer> server;
  std::vector<std::string> said;
  std::int64_t now_ns = 100 * kSecond;
  std::int64_t timeout_ms;
  std::unique_ptr<routeros::ApiTier> tier;
};

// The cell of the only event that has the measurement; keys may be left out at the end.
std::optional<double> number(const std::vector<model::Event>& events, const std::string& measurement,
                             const std::vector<std::string>& keys, const std::string& field);
// "" where it is absent.
std::string text(const std::vector<model::Event>& events, const std::string& measurement,
                 const std::vector<std::string>& keys, const std::string& field);
// The keys of all rows, joined by '|', in order.
std::vector<std::string> rows(const std::vector<model::Event>& events, const std::string& measurement);
const model::Event* with(const std::vector<model::Event>& events, const std::string& measurement);

// Only what every round asks.
inline routeros::ApiTierOptions every_second() {
  routeros::ApiTierOptions options;
  options.every_ns = kSecond;
  options.counters_every_ns = 0;
  return options;
}

}  // namespace mikroscope::test
