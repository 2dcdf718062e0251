#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "sinks/stores/otlp_model.h"

namespace mikroscope::sinks {
namespace {

using protozero::pbf_writer;

// opentelemetry/proto, v1: numbers of fields that are used.
namespace tag {
enum : protozero::pbf_tag_type {
  kResourceItems = 1,  // Export…ServiceRequest
  kResource = 1,       // ResourceMetrics, ResourceLogs
  kScopeItems = 2,     //
  kScope = 1,          // ScopeMetrics, ScopeLogs
  kItems = 2,          //
  kAttributes = 1,     // Resource
  kScopeName = 1,      // InstrumentationScope
  kScopeVersion = 2,   //
  kKey = 1,            // KeyValue
  kValue = 2,          //
  kString = 1,         // AnyValue
  kBool = 2,           //
  kInt = 3,            //
  kDouble = 4,         //
  kName = 1,           // Metric
  kDescription = 2,    //
  kUnit = 3,           //
  kGauge = 5,          //
  kSum = 7,            //
  kPoints = 1,         // Gauge, Sum
  kTemporality = 2,    // Sum
  kMonotonic = 3,      //
  kStart = 2,          // NumberDataPoint
  kTime = 3,           //
  kAsDouble = 4,       //
  kAsInt = 6,          //
  kPointAttributes = 7,
  kLogTime = 1,  // LogRecord
  kSeverity = 2,
  kSeverityText = 3,
  kBody = 5,
  kLogAttributes = 6,
};
}  // namespace tag

template <class Write>
void key_value(pbf_writer& to, protozero::pbf_tag_type field, const std::string& key, const Write& write) {
  pbf_writer pair(to, field);
  pair.add_string(tag::kKey, key);
  pbf_writer value(pair, tag::kValue);
  write(value);
}

void text_pair(pbf_writer& to, protozero::pbf_tag_type field, const std::string& key,
               const std::string& text) {
  key_value(to, field, key, [&](pbf_writer& value) { value.add_string(tag::kString, text); });
}

const std::string& attributes_of(const OtlpAttributes& attributes) {
  if (!attributes.protobuf.empty()) return attributes.protobuf;
  pbf_writer point(attributes.protobuf);
  for (const auto& [name, value] : *attributes.labels) {
    if (name != "host.name") text_pair(point, tag::kPointAttributes, name, value);
  }
  return attributes.protobuf;
}

void write_item(pbf_writer& metric, const OtlpMetric& m) {
  metric.add_string(tag::kName, m.name);
  metric.add_string(tag::kDescription, m.help);
  metric.add_string(tag::kUnit, m.unit);
  pbf_writer data(metric, m.kind == OtlpKind::gauge ? tag::kGauge : tag::kSum);
  std::string bytes;
  for (const OtlpPoint& p : m.points) {
    bytes = attributes_of(*p.attributes);
    pbf_writer point(bytes);
    if (p.start_ns > 0) point.add_fixed64(tag::kStart, static_cast<std::uint64_t>(p.start_ns));
    point.add_fixed64(tag::kTime, static_cast<std::uint64_t>(p.time_ns));
    if (p.value.whole)
      point.add_sfixed64(tag::kAsInt, p.value.integer);
    else
      point.add_double(tag::kAsDouble, p.value.real);
    data.add_message(tag::kPoints, bytes);
  }
  if (m.kind == OtlpKind::gauge) return;
  data.add_enum(tag::kTemporality, m.kind == OtlpKind::delta ? 1 : 2);
  data.add_bool(tag::kMonotonic, true);
}

void write_item(pbf_writer& record, const OtlpLog& log) {
  record.add_fixed64(tag::kLogTime, static_cast<std::uint64_t>(log.time_ns));
  record.add_enum(tag::kSeverity, log.severity);
  record.add_string(tag::kSeverityText, log.severity_text);
  {
    pbf_writer body(record, tag::kBody);
    body.add_string(tag::kString, log.body);
  }
  for (const auto& [name, value] : log.attributes) {
    key_value(record, tag::kLogAttributes, name, [&](pbf_writer& to) {
      if (const auto* const text = std::get_if<std::string>(&value)) to.add_string(tag::kString, *text);
      if (const auto* const flag = std::get_if<bool>(&value)) to.add_bool(tag::kBool, *flag);
      if (const auto* const whole = std::get_if<std::int64_t>(&value)) to.add_int64(tag::kInt, *whole);
      if (const auto* const real = std::get_if<double>(&value)) to.add_double(tag::kDouble, *real);
    });
  }
}

template <class T>
std::string request(const std::vector<OtlpOf<T>>& hosts) {
  std::string out;
  pbf_writer request(out);
  for (const OtlpOf<T>& host : hosts) {
    pbf_writer of_resource(request, tag::kResourceItems);
    {
      pbf_writer resource(of_resource, tag::kResource);
      text_pair(resource, tag::kAttributes, "host.name", host.host);
      text_pair(resource, tag::kAttributes, "service.name", "mikroscope");
      text_pair(resource, tag::kAttributes, "service.version", MIKROSCOPE_VERSION);
    }
    pbf_writer of_scope(of_resource, tag::kScopeItems);
    {
      pbf_writer scope(of_scope, tag::kScope);
      scope.add_string(tag::kScopeName, "mikroscope");
      scope.add_string(tag::kScopeVersion, MIKROSCOPE_VERSION);
    }
    for (const T& item : host.items) {
      pbf_writer to(of_scope, tag::kItems);
      write_item(to, item);
    }
  }
  return out;
}

}  // namespace

std::string otlp_protobuf(const OtlpMetrics& metrics) {
  return request(metrics);
}
std::string otlp_protobuf(const OtlpLogs& logs) {
  return request(logs);
}

// Export…ServiceResponse { partial_success = 1 { rejected_… = 1; error_message = 2; } }
OtlpPartial otlp_partial_protobuf(std::string_view body) {
  OtlpPartial partial;
  try {
    protozero::pbf_reader response(body.data(), body.size());
    while (response.next(1)) {
      protozero::pbf_reader inner = response.get_message();
      while (inner.next()) {
        if (inner.tag() == 1 && inner.wire_type() == protozero::pbf_wire_type::varint) {
          const std::int64_t count = inner.get_int64();
          if (count > 0) partial.rejected = static_cast<std::uint64_t>(count);
        } else if (inner.tag() == 2 && inner.wire_type() == protozero::pbf_wire_type::length_delimited) {
          partial.why = valid_text(inner.get_string());
        } else {
          inner.skip();
        }
      }
    }
  } catch (const std::exception&) {
    return {};
  }
  return partial;
}

}  // namespace mikroscope::sinks
