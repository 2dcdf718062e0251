// /log.
#include <fmt/format.h>

#include "tests/routersim/dates.h"
#include "tests/routersim/menus/menus.h"

namespace mikroscope::routersim {
namespace {

constexpr VerbDef kVerbs[] = {{"info"}, {"warning"}, {"error"}, {"debug"}};

class LogMenu final : public Menu {
 public:
  LogMenu() : Menu({.path = "/log", .verbs = kVerbs, .fixed = true, .exported = false}) {}
  std::vector<Row> rows(const State& state) const override {
    std::vector<Row> all;
    for (const LogLine& line : state.log.lines()) {
      all.push_back({{".id", fmt::format("*{:X}", line.number)},
                     {"time", date_time(state.at_least("7.10"), line.wall_s)},
                     {"buffer", "memory"},
                     {"topics", line.topics},
                     {"message", line.message}});
    }
    return all;
  }

 protected:
  Outcome own_verb(State& state, const User&, const Request& request) override {
    if (!request.attributes.has("message"))
      return Outcome::trap("missing value(s) of argument(s) message", 0);
    state.log.add("script," + request.verb, request.attributes.text("message"));
    return {};
  }
};

}  // namespace

std::unique_ptr<Menu> make_log() {
  return std::make_unique<LogMenu>();
}

}  // namespace mikroscope::routersim
