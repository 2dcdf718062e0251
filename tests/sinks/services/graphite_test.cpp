// A carbon that stores whole seconds, read back with whisper-fetch.
#include "sinks/stores/graphite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/clock.h"
#include "tests/sinks/services/metric_service.h"
#include "tests/sinks/stores/metric_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using test::free_port;
using test::MetricService;
using test::poll_until;

struct Carbon {
  mikroscope::test::TempDir dir;
  int port = free_port();
  std::unique_ptr<MetricService> server;

  Carbon() {
    std::filesystem::create_directory(dir / "conf");
    test::write_all(dir / "conf/storage-schemas.conf", "[all]\npattern = .*\nretentions = 1s:1h\n");
    std::string config =
        "[cache]\nUSER =\nMAX_CREATES_PER_MINUTE = inf\nMAX_UPDATES_PER_SECOND = inf\n"
        "WHISPER_AUTOFLUSH = True\nLINE_RECEIVER_INTERFACE = 127.0.0.1\n"
        "PICKLE_RECEIVER_INTERFACE = 127.0.0.1\nCACHE_QUERY_INTERFACE = 127.0.0.1\n";
    config += "LINE_RECEIVER_PORT = " + std::to_string(port) + "\n";
    config += "PICKLE_RECEIVER_PORT = " + std::to_string(free_port()) + "\n";
    config += "CACHE_QUERY_PORT = " + std::to_string(free_port()) + "\n";
    config += "STORAGE_DIR = " + dir.path() + "\nLOCAL_DATA_DIR = " + (dir / "whisper") +
              "\nCONF_DIR = " + (dir / "conf") + "\nLOG_DIR = " + dir.path() + "\nPID_DIR = " + dir.path() +
              "\n";
    test::write_all(dir / "conf/carbon.conf", config);
    start();
  }
  void start() {
    server = std::make_unique<MetricService>(
        std::vector<std::string>{"carbon-cache", "--config=" + (dir / "conf/carbon.conf"), "--nodaemon",
                                 "--pidfile=" + (dir / "pid"), "start"},
        dir / "log");
    EXPECT_TRUE(poll_until(30, [this] { return test::accepts(port); })) << server->log();
  }

  // The value of a second, as whisper-fetch prints it; empty: none.
  std::string value(const std::string& path, std::int64_t second) const {
    const std::string file = dir / ("whisper/" + path + ".wsp");
    if (!std::filesystem::exists(file)) return {};
    const std::string out = dir / "fetched";
    std::filesystem::remove(out);
    const test::Ran ran = test::run(
        {"whisper-fetch", "--from=" + std::to_string(second - 1), "--until=" + std::to_string(second), file},
        out);
    std::stringstream lines(ran.output);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t tab = line.find('\t');
      if (tab == std::string::npos || line.substr(0, tab) != std::to_string(second)) continue;
      std::string text = line.substr(tab + 1);  // 45.000000
      if (text == "None") return {};
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
      return text;
    }
    return {};
  }
  bool becomes(const std::string& path, std::int64_t second, const std::string& wanted) const {
    return poll_until(20, [&] { return value(path, second) == wanted; });
  }
};

std::unique_ptr<Sink> make(int port) {
  SinkValues values;
  values.set("graphite", "127.0.0.1:" + std::to_string(port));
  auto sink = kGraphiteSink.make(values);
  EXPECT_TRUE(sink) << sink.error().what;
  return std::move(*sink);
}

std::vector<model::Event> tenths(std::int64_t second, int first, int last) {
  std::vector<model::Event> events;
  for (int n = first; n <= last; ++n) {
    model::Event event = test::cpu_sample("C:\\ ro.uter", n, {n, 1, 0, 0, n % 10 == 3 ? 0.875 : 0.125, true});
    event.wall_ns = second * base::kNsPerSecond + n * 100'000'000LL;
    events.push_back(event);
  }
  return events;
}

TEST(GraphiteService, StoresSumsOfWholeSeconds) {
  if (!test::installed("carbon-cache") || !test::installed("whisper-fetch"))
    GTEST_SKIP() << "carbon-cache or whisper-fetch is not installed";
  Carbon carbon;
  const auto sink = make(carbon.port);
  const auto check = sink->check();
  ASSERT_TRUE(check) << check.error().what;
  const std::int64_t second = base::wall_ns() / base::kNsPerSecond - 20;
  ASSERT_EQ(sink->deliver(tenths(second, 0, 14)).verdict, Delivery::Verdict::done);
  ASSERT_EQ(sink->deliver(tenths(second, 15, 25)).verdict, Delivery::Verdict::done);
  const std::string cpu = "mikroscope/C:__ro_uter/cpu/0/";
  EXPECT_TRUE(carbon.becomes(cpu + "user", second, "45")) << carbon.value(cpu + "user", second);
  EXPECT_TRUE(carbon.becomes(cpu + "user", second + 1, "145"));
  EXPECT_EQ(carbon.value(cpu + "user", second + 2), "");  // not over yet
  EXPECT_TRUE(carbon.becomes(cpu + "busy_ratio", second, "0.125"));
  EXPECT_TRUE(carbon.becomes(cpu + "busy_ratio/max", second + 1, "0.875"));

  // A collector that starts again reads the newest seconds once more and sums them to the same.
  const auto next = make(carbon.port);
  ASSERT_EQ(next->deliver(tenths(second, 5, 31)).verdict, Delivery::Verdict::done);
  EXPECT_TRUE(carbon.becomes(cpu + "user", second + 2, "245"));
  EXPECT_EQ(carbon.value(cpu + "user", second), "45");
  EXPECT_EQ(carbon.value(cpu + "user", second + 1), "145");
}

TEST(GraphiteService, LosesNothingOverARestartOfCarbon) {
  if (!test::installed("carbon-cache") || !test::installed("whisper-fetch"))
    GTEST_SKIP() << "carbon-cache or whisper-fetch is not installed";
  Carbon carbon;
  const auto sink = make(carbon.port);
  const std::int64_t second = base::wall_ns() / base::kNsPerSecond - 20;
  ASSERT_EQ(sink->deliver(tenths(second, 0, 10)).verdict, Delivery::Verdict::done);
  const std::string user = "mikroscope/C:__ro_uter/cpu/0/user";
  EXPECT_TRUE(carbon.becomes(user, second, "45"));
  carbon.server->stop();
  const auto events = tenths(second, 11, 20);
  const Delivery down = sink->deliver(events);
  EXPECT_EQ(down.verdict, Delivery::Verdict::retry);
  EXPECT_THAT(down.why, testing::HasSubstr("127.0.0.1:" + std::to_string(carbon.port)));
  carbon.start();
  ASSERT_EQ(sink->deliver(events).verdict, Delivery::Verdict::done);
  EXPECT_TRUE(carbon.becomes(user, second + 1, "145"));
}

}  // namespace
}  // namespace mikroscope::sinks
