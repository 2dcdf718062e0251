// Requests decoded with the official definitions; where they cannot be had, with protoc --decode_raw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sinks/stores/otlp_points.h"
#include "tests/sinks/services/metric_service.h"
#include "tests/sinks/stores/metric_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<model::Event> everything() {
  std::vector<model::Event> events;
  for (const std::string& name : test::hostile_names()) {
    events.push_back(test::full_event("router", name, test::kStart));
    events.push_back(test::hostile_event(name));
  }
  events.push_back(test::full_event("router", "x", test::kStart));
  events.back().kind = model::EventKind::gap;
  return events;
}

// Empty where it is there; else why not.
std::string fetch(mikroscope::test::TempDir& dir) {
  for (const char* const program : {"npm", "tar", "protoc"}) {
    if (!test::installed(program)) return std::string(program) + " is not installed";
  }
  const test::Ran ran =
      test::run({"sh", "-c",
                 "cd " + dir.path() +
                     " && npm pack --silent @opentelemetry/otlp-grpc-exporter-base@0.35.1 && "
                     "tar xzf opentelemetry-otlp-grpc-exporter-base-0.35.1.tgz"},
                dir / "npm");
  if (ran.code != 0 || !std::filesystem::exists(dir / "package/build/protos"))
    return "the official definitions could not be fetched with npm: " + ran.output.substr(0, 200);
  return {};
}

constexpr std::string_view kPackage = "opentelemetry.proto.collector.";

test::Ran decode(mikroscope::test::TempDir& dir, const std::string& kind, const std::string& message,
                 const std::string& body) {
  test::write_all(dir / (kind + ".body"), body);
  const std::string out = dir / (kind + ".out");
  std::filesystem::remove(out);
  return test::run({"protoc", "-I" + (dir / "package/build/protos"),
                    "--decode=" + std::string(kPackage) + kind + ".v1." + message,
                    "opentelemetry/proto/collector/" + kind + "/v1/" + kind + "_service.proto"},
                   out, dir / (kind + ".body"));
}

TEST(OtlpService, IsWhatTheOfficialDefinitionsSay) {
  mikroscope::test::TempDir dir;
  if (const std::string why = fetch(dir); !why.empty()) GTEST_SKIP() << why;
  const auto events = everything();
  OtlpPoints points(false);
  const OtlpMetrics metrics = points.take(events);
  const test::Ran decoded = decode(dir, "metrics", "ExportMetricsServiceRequest", otlp_protobuf(metrics));
  ASSERT_EQ(decoded.code, 0) << decoded.output.substr(0, 500);
  for (const char* const part : {"name: \"mikroscope.cpu.ticks\"", "scope_metrics {",
                                 "aggregation_temporality: AGGREGATION_TEMPORALITY_CUMULATIVE"})
    EXPECT_NE(decoded.output.find(part), std::string::npos) << part;
  // A field that the definitions do not know is printed by its number.
  std::stringstream lines(decoded.output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find_first_not_of(' ');
    EXPECT_FALSE(at != std::string::npos && line[at] >= '0' && line[at] <= '9') << line;
  }
  const OtlpLogs logs = otlp_logs(events);
  ASSERT_FALSE(logs.empty());
  const test::Ran records = decode(dir, "logs", "ExportLogsServiceRequest", otlp_protobuf(logs));
  ASSERT_EQ(records.code, 0) << records.output.substr(0, 500);
  EXPECT_NE(records.output.find("severity_number: SEVERITY_NUMBER_WARN"), std::string::npos);
  EXPECT_NE(records.output.find("severity_number: SEVERITY_NUMBER_INFO"), std::string::npos);
}

// The JSON form, by the strict parser of the protobuf library, says the same as the binary one.
TEST(OtlpService, SaysTheSameInJson) {
  mikroscope::test::TempDir dir;
  if (const std::string why = fetch(dir); !why.empty()) GTEST_SKIP() << why;
  if (test::run({"/usr/bin/python3", "-c", "import google.protobuf.json_format"}, dir / "py").code != 0)
    GTEST_SKIP() << "python3-protobuf is not installed";
  const auto events = everything();
  OtlpPoints points(false);
  const OtlpMetrics metrics = points.take(events);
  const OtlpLogs logs = otlp_logs(events);
  test::write_all(dir / "metrics.json", otlp_json(metrics));
  test::write_all(dir / "metrics.pb", otlp_protobuf(metrics));
  test::write_all(dir / "logs.json", otlp_json(logs));
  test::write_all(dir / "logs.pb", otlp_protobuf(logs));
  test::write_all(dir / "same.py", R"(import sys
from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest as M
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest as L
for kind, message in (("metrics", M), ("logs", L)):
    a, b = message(), message()
    json_format.Parse(open(kind + ".json", "rb").read().decode("utf-8"), a)
    b.ParseFromString(open(kind + ".pb", "rb").read())
    assert a == b, kind
    assert a.ByteSize() > 1000
)");
  const std::string in_dir = "cd " + dir.path() + " && ";
  const test::Ran made = test::run(
      {"sh", "-c",
       in_dir + "mkdir pb && protoc -I package/build/protos --python_out=pb $(cd package/build/protos "
                "&& find opentelemetry -name '*.proto' | grep -v trace_config)"},
      dir / "made");
  ASSERT_EQ(made.code, 0) << made.output;
  const test::Ran same =
      test::run({"sh", "-c", in_dir + "PYTHONPATH=pb /usr/bin/python3 same.py"}, dir / "same.out");
  EXPECT_EQ(same.code, 0) << same.output;
}

TEST(OtlpService, IsProtobuf) {
  if (!test::installed("protoc")) GTEST_SKIP() << "protoc is not installed";
  mikroscope::test::TempDir dir;
  OtlpPoints points(false);
  const OtlpMetrics metrics =
      points.take(std::vector<model::Event>{test::cpu_sample("router", 0, {7, 3, 1007, 2003, 0.75, true})});
  test::write_all(dir / "body", otlp_protobuf(metrics));
  const test::Ran ran = test::run({"protoc", "--decode_raw"}, dir / "out", dir / "body");
  ASSERT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("1: \"host.name\""));
  EXPECT_THAT(ran.output, HasSubstr("1: \"mikroscope.cpu.ticks\""));
  EXPECT_THAT(ran.output, HasSubstr("6: 0x00000000000003ef"));  // as_int 1007
  EXPECT_THAT(ran.output, HasSubstr("4: 0x3fe8000000000000"));  // as_double 0.75
}

}  // namespace
}  // namespace mikroscope::sinks
