// Samples to one value a second, as Graphite keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"
#include "sinks/stores/families.h"

namespace mikroscope::sinks {

// One node of a path: ASCII letters, digits, _ - : stay, anything else is _, and nothing is "none".
std::string graphite_node(std::string_view text);

// Adds up differences, keeps the last of levels (of ratios the greatest too, as .max). A second is complete
// when a later event of the same kind and host came, or close_older() says so. A delta's first second is left
// out where its beginning was not seen: half a sum is wrong.
class GraphiteSeconds {
 public:
  explicit GraphiteSeconds(std::string prefix);

  // Appends lines of the seconds that these events complete. Undone by roll_back().
  void take(std::span<const model::Event> events, std::int64_t now_ns, std::string& lines);
  void commit() { before_.clear(); }
  void roll_back();
  // Seconds whose newest event came at `now_ns` or before.
  void close_older(std::int64_t now_ns, std::string& lines);

 private:
  enum class Add : std::uint8_t { sum, last, greatest };
  struct Path {
    std::string text;
    std::size_t table = 0, row = 0;
    std::uint32_t slot = 0;
    Add add = Add::last;
    bool rows = false;  // counts rows
    bool real = false;
    std::int64_t over = 1;  // the value is cell / over
  };
  using Paths = std::vector<Path>;  // sorted by text
  struct Value {
    bool known = false;
    Add add = Add::last;
    Number number;
    void take(Number v);
  };
  struct Open {
    std::int64_t second = INT64_MIN;
    std::int64_t closed = INT64_MIN;  // the latest that was sent
    bool partial = false;             // not all of it was seen
    std::int64_t came_ns = 0;         // when its newest event did
    std::shared_ptr<const Paths> paths;
    std::vector<Value> values;             // of `paths`
    std::map<std::string, Value> earlier;  // of shapes before, in the same second
  };

  std::shared_ptr<const Paths> paths_of(const model::Event& event);
  std::shared_ptr<const Paths> make_paths(const model::Event& event) const;
  static void add(Open& open, const model::Event& event, std::shared_ptr<const Paths> paths);
  static void set_aside(Open& open);
  static void close(Open& open, std::string& lines);

  std::string prefix_;
  std::map<std::string, Open> open_;    // by host and kind of event
  std::map<std::string, Open> before_;  // of this batch
  std::map<std::pair<std::string, std::uint64_t>, std::shared_ptr<const Paths>> paths_;  // by host and shape
};

}  // namespace mikroscope::sinks
