// Sees that the agent began again, or the router did.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/event.h"

namespace mikroscope::sinks {

struct NewRun {
  bool reboot = false;
  bool boots_known = false;  // both boot ids are
  std::string old_boot;
  std::string new_boot;
  std::uint64_t old_seq = 0;
  std::uint64_t new_seq = 0;
  std::int64_t old_boot_ns = 0;  // of the last sample
  std::int64_t new_boot_ns = 0;
};

class RunWatch {
 public:
  // At the first sample of a new run. Told by a restart event, by the origin of the sample, or by numbers and
  // clocks that went back.
  std::optional<NewRun> see(const model::Event& event);

 private:
  bool any_ = false;
  bool restart_ = false;  // an event said so, and no sample has come since
  bool reboot_ = false;
  std::string instance_;
  std::string boot_;
  std::uint64_t seq_ = 0;
  std::int64_t boot_ns_ = 0;
};

}  // namespace mikroscope::sinks
