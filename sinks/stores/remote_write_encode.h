// Messages of Prometheus remote write 1.0.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinks/stores/families.h"

namespace mikroscope::sinks {

struct WritePoint {
  std::int64_t ms = 0;
  double value = 0;
};

// The value that says that a series has ended; the only NaN that is sent.
double stale_marker();

// Bytes of the labels in a TimeSeries message: sorted, the metric's name among them.
std::string encode_series_labels(const std::string& metric, const Labels& labels);

// Adds one TimeSeries to a WriteRequest.
void append_series(std::string& request, const std::string& encoded_labels,
                   const std::vector<WritePoint>& points);

std::string snappy_block(const std::string& request);

}  // namespace mikroscope::sinks
