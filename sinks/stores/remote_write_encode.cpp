#include "sinks/stores/remote_write_encode.h"

#include <snappy.h>

#include <algorithm>
#include <bit>
#include <protozero/pbf_writer.hpp>

namespace mikroscope::sinks {
namespace {

// prompb/remote.proto and types.proto.
enum : protozero::pbf_tag_type {
  kTimeSeries = 1,   // WriteRequest
  kLabels = 1,       // TimeSeries
  kSamples = 2,      //
  kLabelName = 1,    // Label
  kLabelValue = 2,   //
  kSampleValue = 1,  // Sample
  kSampleTime = 2,   //
};

}  // namespace

double stale_marker() {
  return std::bit_cast<double>(std::uint64_t{0x7ff0000000000002});
}

std::string encode_series_labels(const std::string& metric, const Labels& labels) {
  Labels all = labels;
  all.emplace_back("__name__", metric);
  std::sort(all.begin(), all.end());
  std::string out;
  protozero::pbf_writer series(out);
  for (const auto& [name, value] : all) {
    protozero::pbf_writer label(series, kLabels);
    label.add_string(kLabelName, name);
    label.add_string(kLabelValue, value);
  }
  return out;
}

void append_series(std::string& request, const std::string& encoded_labels,
                   const std::vector<WritePoint>& points) {
  std::string series = encoded_labels;
  protozero::pbf_writer writer(series);
  for (const WritePoint& point : points) {
    protozero::pbf_writer sample(writer, kSamples);
    sample.add_double(kSampleValue, point.value);
    sample.add_int64(kSampleTime, point.ms);
  }
  protozero::pbf_writer(request).add_message(kTimeSeries, series);
}

std::string snappy_block(const std::string& request) {
  std::string out;
  snappy::Compress(request.data(), request.size(), &out);
  return out;
}

}  // namespace mikroscope::sinks
