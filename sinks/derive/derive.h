// Values that the collector computes beside each sample of the kernel tier: measurement `derived`.
#pragma once

#include <memory>

#include "model/event.h"

namespace mikroscope::sinks {

// One per router; windows are of the agent's monotonic time and of the true rate.
class Derive {
 public:
  Derive();
  ~Derive();
  Derive(Derive&&) noexcept;
  Derive& operator=(Derive&&) noexcept;

  static const model::MeasurementPtr& measurement();
  // `sample` has one row of measurement() whose cells are absent; sets those that can be known.
  void fill(model::Event& sample);
  // The agent began again, or samples are missing: windows start over.
  void forget();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::sinks
