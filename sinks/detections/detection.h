// A rule that looks at the events of one router and says when something happened. One file each, one line
// each in registry.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

class LeadUp;

struct Finding {
  std::string key;  // what it is about: a port, a zone, cpu2; may be empty
  double value = 0;
  double threshold = 0;
  std::string message;  // one line for people, with the evidence
};

// Where a detection puts what it found, and what it may ask meanwhile.
class Emit {
 public:
  Emit(std::int64_t now_ns, const LeadUp& lead_up) : now_ns_(now_ns), lead_up_(lead_up) {}
  // The event's time on a clock that never steps and goes on over reboots (agent_clock.h).
  std::int64_t now_ns() const { return now_ns_; }
  const LeadUp& lead_up() const { return lead_up_; }
  void operator()(Finding finding) { found_.push_back(std::move(finding)); }
  std::vector<Finding>& found() { return found_; }

 private:
  std::int64_t now_ns_;
  const LeadUp& lead_up_;
  std::vector<Finding> found_;
};

class Detection {
 public:
  virtual ~Detection() = default;
  // All events of one router, in the order of their making; repetitions and findings left out.
  virtual void see(const model::Event& event, Emit& emit) = 0;
  // Whether what the rule needs has been there at all: what was never seen was never checked either.
  bool checked() const { return checked_; }

 protected:
  void set_checked() { checked_ = true; }

 private:
  bool checked_ = false;
};

struct DetectionDef {
  std::string_view name;
  std::string_view help;
  std::string_view needs;      // the source, in words
  bool informational = false;  // worth a mark in a graph, not a page
  std::unique_ptr<Detection> (*make)() = nullptr;
};

template <class T>
std::unique_ptr<Detection> make_detection() {
  return std::make_unique<T>();
}

// In a fixed order, so that each of them can be told as 0.
std::span<const DetectionDef* const> all_detections();

}  // namespace mikroscope::sinks
