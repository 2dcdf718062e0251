// What an OTLP request says, before it becomes protobuf or JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sinks/stores/families.h"

namespace mikroscope::sinks {

// Of a series. Its bytes are made once and used for all points.
struct OtlpAttributes {
  const Labels* labels = nullptr;  // host.name among them is the resource's
  mutable std::string protobuf;
  mutable std::string json;
};

struct OtlpPoint {
  const OtlpAttributes* attributes = nullptr;
  std::int64_t start_ns = 0;  // of sums; 0: none
  std::int64_t time_ns = 0;
  Number value;
};

enum class OtlpKind : std::uint8_t { gauge, cumulative, delta };

struct OtlpMetric {
  std::string name;
  std::string unit;
  std::string help;
  OtlpKind kind = OtlpKind::gauge;
  std::vector<OtlpPoint> points;
};

using OtlpValue = std::variant<std::string, std::int64_t, double, bool>;

struct OtlpLog {
  std::int64_t time_ns = 0;
  int severity = 9;  // SeverityNumber
  std::string severity_text;
  std::string body;
  std::vector<std::pair<std::string, OtlpValue>> attributes;
};

// Of one router.
template <class T>
struct OtlpOf {
  std::string host;
  std::vector<T> items;
};
using OtlpMetrics = std::vector<OtlpOf<OtlpMetric>>;
using OtlpLogs = std::vector<OtlpOf<OtlpLog>>;

enum class OtlpEncoding : std::uint8_t { protobuf, json };

std::string otlp_protobuf(const OtlpMetrics& metrics);
std::string otlp_protobuf(const OtlpLogs& logs);
std::string otlp_json(const OtlpMetrics& metrics);  // 64-bit integers are texts, enums numbers
std::string otlp_json(const OtlpLogs& logs);

// What a success did not take. Of either encoding; anything else says nothing.
struct OtlpPartial {
  std::uint64_t rejected = 0;
  std::string why;
};
OtlpPartial otlp_partial(std::string_view body);

}  // namespace mikroscope::sinks
