#include "tests/routeros/tier/tier_on_double.h"

#include "tests/routersim/accounts.h"

namespace mikroscope::test {
namespace {

routersim::Config with_clock(routersim::Config config, std::shared_ptr<routersim::Clock> clock) {
  config.clock = std::move(clock);
  return config;
}

}  // namespace

TierOnDouble::TierOnDouble(routeros::ApiTierOptions options, routersim::Config config, std::int64_t timeout)
    : router(with_clock(std::move(config), clock)),
      server(std::make_unique<routersim::ApiServer>(router)),
      timeout_ms(timeout) {
  EXPECT_EQ(server->trouble(), "");
  tier = std::make_unique<routeros::ApiTier>(
      target(), std::move(options), std::make_shared<const model::Origin>(model::Origin{"router", "", ""}),
      [this](const std::string& line) { said.push_back(line); });
}

routeros::ApiTarget TierOnDouble::target() const {
  routeros::ApiTarget target;
  target.host = "127.0.0.1";
  target.port = server->port();
  target.security = routeros::ApiSecurity::plain;
  target.timeout_ms = timeout_ms;
  return target;
}

std::vector<model::Event> TierOnDouble::round() {
  return tier->round(now_ns, kWall + now_ns);
}

std::vector<model::Event> TierOnDouble::next_round() {
  advance(1000);
  return round();
}

void TierOnDouble::advance(std::int64_t ms) {
  now_ns += ms * 1'000'000;
  clock->advance(ms);
  router.tick();
}

routersim::Outcome TierOnDouble::run(const std::string& command, routersim::Attributes attributes) {
  const std::size_t slash = command.rfind('/');
  routersim::Request request;
  request.menu = command.substr(0, slash);
  request.verb = command.substr(slash + 1);
  request.attributes = std::move(attributes);
  const auto& all = routersim::all_policies();
  return router.execute({"root", {all.begin(), all.end()}, routersim::Via::local, ""}, request);
}

std::vector<std::string> TierOnDouble::asked() {
  std::vector<std::string> commands;
  for (const routersim::Logged& entry : router.requests().all()) {
    if (entry.kind == routersim::Logged::Kind::command && entry.via != routersim::Via::local)
      commands.push_back(entry.command());
  }
  router.requests().clear();
  return commands;
}

std::size_t TierOnDouble::asked(const std::string& command) {
  return router.requests().count([&](const routersim::Logged& entry) {
    return entry.kind == routersim::Logged::Kind::command && entry.command() == command;
  });
}

std::string TierOnDouble::lines() const {
  std::string all;
  for (const std::string& line : said) all += line + "\n";
  return all;
}

void TierOnDouble::restart_server() {
  const std::uint16_t port = server->port();
  server.reset();
  server = std::make_unique<routersim::ApiServer>(router, routersim::ApiServer::Options{.port = port});
  ASSERT_EQ(server->trouble(), "");
}

const model::Event* with(const std::vector<model::Event>& events, const std::string& measurement) {
  const model::Event* found = nullptr;
  for (const model::Event& event : events) {
    if (event.shape->find(measurement) == nullptr) continue;
    EXPECT_EQ(found, nullptr) << "two events have " << measurement;
    found = &event;
  }
  return found;
}

std::optional<double> number(const std::vector<model::Event>& events, const std::string& measurement,
                             const std::vector<std::string>& keys, const std::string& field) {
  const model::Event* const event = with(events, measurement);
  return event == nullptr ? std::nullopt : model::find_number(*event, measurement, keys, field);
}

std::string text(const std::vector<model::Event>& events, const std::string& measurement,
                 const std::vector<std::string>& keys, const std::string& field) {
  const model::Event* const event = with(events, measurement);
  if (event == nullptr) return "";
  const model::ShapeTable& table = *event->shape->find(measurement);
  const int column = table.measurement->field(field);
  if (column < 0) return "";
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::vector<std::string>& have = table.rows[row].keys;
    if (!std::equal(keys.begin(), keys.end(), have.begin())) continue;
    const std::uint32_t slot = table.slot(row, static_cast<std::size_t>(column));
    return event->has(slot) ? std::string(event->text(slot)) : "";
  }
  return "";
}

std::vector<std::string> rows(const std::vector<model::Event>& events, const std::string& measurement) {
  std::vector<std::string> all;
  const model::Event* const event = with(events, measurement);
  if (event == nullptr) return all;
  for (const model::Row& row : event->shape->find(measurement)->rows) {
    std::string joined;
    for (const std::string& key : row.keys) joined += (&key == &row.keys.front() ? "" : "|") + key;
    all.push_back(joined);
  }
  return all;
}

}  // namespace mikroscope::test
