#include "cli/forward/all_measurements.h"

#include "cli/forward/agent_reports.h"
#include "cli/forward/self_report.h"
#include "routeros/tier/measurements.h"
#include "sinks/detections/detector.h"
#include "sinks/kernel/store_tables.h"

namespace mikroscope::cli {

std::vector<model::MeasurementPtr> all_measurements() {
  std::vector<model::MeasurementPtr> all = sinks::kernel_measurements();
  for (const auto& some : {routeros::api_measurements(), agent_report_measurements(), self_measurements()})
    all.insert(all.end(), some.begin(), some.end());
  all.push_back(sinks::Detector::measurement());
  all.push_back(sinks::Detector::count_measurement());
  return all;
}

}  // namespace mikroscope::cli
