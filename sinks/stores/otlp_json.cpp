#include <nlohmann/json.hpp>

#include "sinks/stores/otlp_model.h"

namespace mikroscope::sinks {

OtlpPartial otlp_partial_protobuf(std::string_view body);  // otlp_protobuf.cpp

namespace {

// `text` is UTF-8 without NUL.
void put(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += "0123456789abcdef"[byte >> 4];
      out += "0123456789abcdef"[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void put_integer(std::string& out, std::int64_t value) {
  out += '"' + std::to_string(value) + '"';
}

void text_pair(std::string& out, std::string_view key, std::string_view value) {
  out += R"({"key":)";
  put(out, key);
  out += R"(,"value":{"stringValue":)";
  put(out, value);
  out += "}}";
}

const std::string& attributes_of(const OtlpAttributes& attributes) {
  std::string& out = attributes.json;
  if (!out.empty()) return out;
  out = R"("attributes":[)";
  bool first = true;
  for (const auto& [name, value] : *attributes.labels) {
    if (name == "host.name") continue;
    if (!first) out += ',';
    first = false;
    text_pair(out, name, value);
  }
  out += ']';
  return out;
}

void write_item(std::string& out, const OtlpMetric& m) {
  out += R"({"name":)";
  put(out, m.name);
  out += R"(,"description":)";
  put(out, m.help);
  out += R"(,"unit":)";
  put(out, m.unit);
  out += m.kind == OtlpKind::gauge ? R"(,"gauge":{"dataPoints":[)" : R"(,"sum":{"dataPoints":[)";
  for (std::size_t i = 0; i < m.points.size(); ++i) {
    const OtlpPoint& p = m.points[i];
    out += i == 0 ? "{" : ",{";
    out += attributes_of(*p.attributes);
    if (p.start_ns > 0) {
      out += R"(,"startTimeUnixNano":)";
      put_integer(out, p.start_ns);
    }
    out += R"(,"timeUnixNano":)";
    put_integer(out, p.time_ns);
    if (p.value.whole) {
      out += R"(,"asInt":)";
      put_integer(out, p.value.integer);
    } else {
      out += R"(,"asDouble":)" + to_text(p.value);
    }
    out += '}';
  }
  out += ']';
  if (m.kind != OtlpKind::gauge) {
    out += R"(,"aggregationTemporality":)";
    out += m.kind == OtlpKind::delta ? '1' : '2';
    out += R"(,"isMonotonic":true)";
  }
  out += "}}";
}

void write_item(std::string& out, const OtlpLog& log) {
  out += R"({"timeUnixNano":)";
  put_integer(out, log.time_ns);
  out += R"(,"severityNumber":)" + std::to_string(log.severity);
  out += R"(,"severityText":)";
  put(out, log.severity_text);
  out += R"(,"body":{"stringValue":)";
  put(out, log.body);
  out += R"(},"attributes":[)";
  for (std::size_t i = 0; i < log.attributes.size(); ++i) {
    const auto& [name, value] = log.attributes[i];
    if (i > 0) out += ',';
    out += R"({"key":)";
    put(out, name);
    out += R"(,"value":{)";
    if (const auto* const text = std::get_if<std::string>(&value)) {
      out += R"("stringValue":)";
      put(out, *text);
    }
    if (const auto* const flag = std::get_if<bool>(&value))
      out += *flag ? R"("boolValue":true)" : R"("boolValue":false)";
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
      out += R"("intValue":)";
      put_integer(out, *whole);
    }
    if (const auto* const real = std::get_if<double>(&value))
      out += R"("doubleValue":)" + to_text(Number::of(*real));
    out += "}}";
  }
  out += "]}";
}

template <class T>
std::string request(const std::vector<OtlpOf<T>>& hosts, std::string_view kind, std::string_view items) {
  std::string out = "{\"resource";
  out.append(kind).append("\":[");
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    if (h > 0) out += ',';
    out += R"({"resource":{"attributes":[)";
    text_pair(out, "host.name", hosts[h].host);
    out += ',';
    text_pair(out, "service.name", "mikroscope");
    out += ',';
    text_pair(out, "service.version", MIKROSCOPE_VERSION);
    out += "]},\"scope";
    out.append(kind).append(R"(":[{"scope":{"name":"mikroscope","version":)");
    put(out, MIKROSCOPE_VERSION);
    out += "},\"";
    out.append(items).append("\":[");
    for (std::size_t i = 0; i < hosts[h].items.size(); ++i) {
      if (i > 0) out += ',';
      write_item(out, hosts[h].items[i]);
    }
    out += "]}]}";
  }
  return out + "]}";
}

}  // namespace

std::string otlp_json(const OtlpMetrics& metrics) {
  return request(metrics, "Metrics", "metrics");
}
std::string otlp_json(const OtlpLogs& logs) {
  return request(logs, "Logs", "logRecords");
}

OtlpPartial otlp_partial(std::string_view body) {
  const std::size_t at = body.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos) return {};
  if (body[at] != '{') return otlp_partial_protobuf(body);
  const nlohmann::json response = nlohmann::json::parse(body, nullptr, false);
  OtlpPartial partial;
  const auto found = response.find("partialSuccess");
  if (!response.is_object() || found == response.end() || !found->is_object()) return {};
  for (const char* const name : {"rejectedDataPoints", "rejectedLogRecords"}) {
    const auto count = found->find(name);
    if (count == found->end()) continue;
    if (count->is_number_unsigned()) partial.rejected = count->get<std::uint64_t>();
    if (count->is_string())
      partial.rejected = std::strtoull(count->get_ref<const std::string&>().c_str(), nullptr, 10);
  }
  if (const auto why = found->find("errorMessage"); why != found->end() && why->is_string())
    partial.why = valid_text(why->get_ref<const std::string&>());
  return partial;
}

}  // namespace mikroscope::sinks
