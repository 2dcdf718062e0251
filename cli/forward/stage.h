// What looks at every event of a router before it goes to the spool, and may add events of its own.
#pragma once

#include <vector>

#include "model/event.h"

namespace mikroscope::cli {

class Stage {
 public:
  virtual ~Stage() = default;
  // In the order of their making; what it finds is appended to `more`.
  virtual void see(const model::Event& event, std::vector<model::Event>& more) = 0;
};

}  // namespace mikroscope::cli
