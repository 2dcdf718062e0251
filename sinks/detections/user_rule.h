// A rule of the user as a detection.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sinks/detections/detection.h"
#include "sinks/detections/rule_spec.h"
#include "sinks/detections/windows.h"

namespace mikroscope::sinks {

// Looked at with every event that has all measurements of the rule. What a row lacks is not compared: it
// neither holds nor ends what holds. Fields of several measurements meet where their keys of the same name
// are equal; keys that the rule selects do not count.
class UserRule final : public Detection {
 public:
  explicit UserRule(RuleSpec spec) : spec_(std::move(spec)), places_(spec_.fields.size()) {}
  void see(const model::Event& event, Emit& emit) override;

 private:
  struct Place {  // of one field in the shape
    const model::ShapeTable* table = nullptr;
    std::size_t table_index = 0;
    const model::Field* field = nullptr;
    std::size_t column = 0;
    std::vector<std::size_t> rows;  // that the selection leaves
  };
  struct Group {  // the rows that are looked at together
    std::string key;
    std::vector<std::size_t> rows;  // for each field
  };
  struct State {
    Held held;
    std::optional<std::int64_t> since_ns;
    std::int64_t last_ns = 0;
    std::int64_t step_ns = 0;
  };
  struct Before {  // a running counter
    double value = 0;
    std::int64_t at_ns = 0;
  };

  void learn(const model::Event& event);
  void group();
  // Every field's value for the group; false where one is absent.
  bool load(const model::Event& event, const Group& group, std::int64_t now_ns);
  std::optional<double> rate(const model::Event& event, std::size_t f, std::size_t row, double value,
                             std::int64_t now_ns);
  double compute(std::size_t node) const;
  void judge(const std::string& key, bool true_now, double left, double right, Emit& emit);

  RuleSpec spec_;
  model::ShapePtr shape_;
  std::vector<Place> places_;
  std::vector<Group> groups_;
  std::vector<double> values_;
  std::map<std::string, State> states_;
  std::map<std::string, Before> before_;
};

}  // namespace mikroscope::sinks
