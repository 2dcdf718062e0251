// Adds up which samples dropped blocks held, and says it in as few events as there are holes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/event.h"
#include "sinks/pipeline/block_record.h"

namespace mikroscope::sinks {

class LostSamples {
 public:
  void add(const BlockHead& head);
  // Gap events (reason: spool), those of one origin together.
  std::vector<std::vector<model::Event>> events() const;

 private:
  struct OfOrigin {
    model::OriginPtr origin;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
    std::int64_t wall_ns = 0;
  };
  std::map<std::pair<std::string, std::string>, OfOrigin> origins_;  // by host and instance
};

}  // namespace mikroscope::sinks
