// Files of lines, read back by the reader of recordings.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "proc/reader/reader.h"
#include "sinks/pipeline/loss.h"
#include "sinks/stores/registry.h"
#include "tests/sinks/services/metric_service.h"
#include "tests/sinks/stores/metric_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using mikroscope::test::TempDir;
using test::cpu_sample;
using test::kStart;
using test::read_all;

std::unique_ptr<Sink> file_sink(const std::string& path, const std::string& max_bytes = "256MiB",
                                const std::string& keep = "0") {
  SinkValues values;
  values.set("file", path);
  values.set("file-max-bytes", max_bytes);
  values.set("file-keep", keep);
  auto sink = kFileSink.make(values);
  EXPECT_TRUE(sink.ok());
  return std::move(*sink);
}

bool done(Sink& sink, const std::vector<model::Event>& events) {
  return sink.deliver(events).verdict == Delivery::Verdict::done;
}

TEST(FileSink, WritesTheAgentsLinesThatAReaderTakes) {
  const TempDir dir;
  const auto sink = file_sink(dir / "a.jsonl");
  const model::Event sample = cpu_sample("router", 0, {3, 7, 0, 0, 0.25, false});
  ASSERT_TRUE(done(*sink, {sample, gap_event(sample.origin, 2, 5, "ring", kStart)}));
  EXPECT_EQ(read_all(dir / "a.jsonl"),
            "{\"file\":{\"host\":\"router\",\"wall_ns\":1789000000000000000}}\n"
            "{\"seq\":1,\"boot_ns\":1000000000000,\"wall_ns\":1789000000000000000,\"dt_ns\":100000000,"
            "\"cpu\":[{\"cpu\":0,\"user\":3,\"idle\":7}]}\n"
            "{\"derived\":{\"wall_ns\":1789000000000000000,\"boot_ns\":1000000000000,\"seq\":1,"
            "\"cpu\":[{\"cpu\":0,\"busy_ratio\":0.25}]}}\n"
            "{\"gap\":{\"wall_ns\":1789000000000000000,\"reason\":\"ring\",\"from\":2,\"to\":5,\"count\":4,"
            "\"message\":\"4 samples are lost, 2 to 5 (ring)\"}}\n");
  struct stat status {};
  ASSERT_EQ(stat((dir / "a.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  proc::NdjsonReader reader;
  reader.feed(read_all(dir / "a.jsonl"));
  reader.finish();
  int frames = 0;
  int gaps = 0;
  while (auto item = reader.next()) {
    EXPECT_FALSE(std::holds_alternative<proc::Malformed>(*item));
    if (const auto* frame = std::get_if<proc::Frame>(&*item)) {
      ++frames;
      EXPECT_EQ(frame->head.seq, 1U);
      const int table = frame->layout->find("cpu");
      ASSERT_GE(table, 0);
      EXPECT_EQ(frame->cell(static_cast<std::uint32_t>(table), 0, 0), 3);
    }
    if (const auto* gap = std::get_if<proc::Gap>(&*item)) {
      ++gaps;
      EXPECT_EQ(gap->from, 2U);
      EXPECT_EQ(gap->to, 5U);
    }
  }
  EXPECT_EQ(frames, 1);
  EXPECT_EQ(gaps, 1);
}

TEST(FileSink, AppendsAndEndsATornLine) {
  const TempDir dir;
  test::write_all(dir / "a.jsonl", "{\"file\":{\"host\":\"router\",\"wall_ns\":1}}\n{\"seq\":1,\"bo");
  const auto sink = file_sink(dir / "a.jsonl");
  ASSERT_TRUE(done(*sink, {cpu_sample("router", 1, {3, 7, 0, 0, 0.25, false})}));
  const std::string text = read_all(dir / "a.jsonl");
  EXPECT_TRUE(
      text.starts_with("{\"file\":{\"host\":\"router\",\"wall_ns\":1}}\n{\"seq\":1,\"bo\n{\"seq\":2,"))
      << text;
}

TEST(FileSink, HostsHaveFilesOfTheirOwn) {
  const TempDir dir;
  const auto one = file_sink(dir / "a.jsonl");
  ASSERT_TRUE(done(*one, {cpu_sample("r1", 0, {}), cpu_sample("r2", 0, {})}));
  const auto pattern = file_sink(dir / "%h.log");
  ASSERT_TRUE(done(*pattern, {cpu_sample("r1", 0, {}), cpu_sample("../r2", 0, {})}));
  EXPECT_EQ(dir.names(), (std::vector<std::string>{"%2E.%2Fr2.log", "a.jsonl", "a.r2.jsonl", "r1.log"}));
  // The file's owner is known after a new start, whoever comes first then.
  const auto again = file_sink(dir / "a.jsonl");
  ASSERT_TRUE(done(*again, {cpu_sample("r2", 1, {}), cpu_sample("r1", 1, {})}));
  EXPECT_EQ(read_all(dir / "a.jsonl").find("r2"), std::string::npos);
}

TEST(FileSink, PutsFullFilesAsideAndKeepsSoMany) {
  const TempDir dir;
  const auto sink = file_sink(dir / "a.jsonl", "10", "2");
  for (int n = 0; n < 5; ++n) ASSERT_TRUE(done(*sink, {cpu_sample("router", n * 10, {3, 7})}));
  EXPECT_EQ(dir.names(),
            (std::vector<std::string>{"a-20260910T002643Z.jsonl", "a-20260910T002644Z.jsonl", "a.jsonl"}));
}

TEST(FileSink, HostileNamesStayLinesOfJson) {
  const TempDir dir;
  const auto sink = file_sink(dir / "a.jsonl");
  ASSERT_TRUE(
      done(*sink, {test::hostile_event("router"), test::full_event("router", "a\n\"\xE4", kStart + 1)}));
  proc::NdjsonReader reader;
  reader.feed(read_all(dir / "a.jsonl"));
  reader.finish();
  int frames = 0;
  while (auto item = reader.next()) {
    if (const auto* bad = std::get_if<proc::Malformed>(&*item)) ADD_FAILURE() << bad->why;
    frames += std::holds_alternative<proc::Frame>(*item) ? 1 : 0;
  }
  EXPECT_EQ(frames, 2);
}

TEST(FileSink, AFullDiskChangesNothing) {
  const auto sink = file_sink("/nonexistent-directory/a.jsonl");
  const std::vector<model::Event> events = {cpu_sample("router", 0, {})};
  const Delivery delivery = sink->deliver(events);
  EXPECT_EQ(delivery.verdict, Delivery::Verdict::retry);
  EXPECT_NE(delivery.why.find("/nonexistent-directory/a.jsonl: No such file"), std::string::npos);
}

}  // namespace
}  // namespace mikroscope::sinks
