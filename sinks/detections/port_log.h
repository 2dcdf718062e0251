// Records of the kernel log that name a port.
#pragma once

#include <functional>

#include "sinks/derive/columns.h"

namespace mikroscope::sinks {

class PortLog {
 public:
  // Calls `visit(port, kind)` for each record of the event. False: the event holds no records at all.
  bool see(const model::Event& event,
           const std::function<void(const std::string& port, std::string_view kind)>& visit) {
    if (event.kind != model::EventKind::log || !records_.in(event)) return false;
    for (std::size_t row = 0; row < records_.rows(); ++row) {
      const std::string port(records_.text(event, row, 0));
      if (!port.empty()) visit(port, records_.text(event, row, 1));
    }
    return true;
  }

 private:
  Columns records_{"event", {"port", "kind"}};
};

}  // namespace mikroscope::sinks
