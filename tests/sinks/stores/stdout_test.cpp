#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "sinks/stores/registry.h"
#include "tests/sinks/support/sample_events.h"
#include "tests/support/temp_dir.h"

namespace mikroscope::sinks {
namespace {

using Verdict = Delivery::Verdict;
using ::testing::HasSubstr;

std::unique_ptr<Sink> make(const std::string& form) {
  SinkValues values;
  values.set("stdout", form);
  auto sink = kStdoutSink.make(values);
  EXPECT_TRUE(sink.ok());
  return std::move(*sink);
}

// Standard output is another descriptor while this lives.
class Instead {
 public:
  explicit Instead(int fd) : kept_(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10)) {
    fflush(stdout);
    dup2(fd, STDOUT_FILENO);
  }
  ~Instead() {
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  int kept_;
};

struct Written {
  Delivery delivery;
  std::string text;
};
Written written(const std::string& form, const std::vector<model::Event>& events) {
  const mikroscope::test::TempDir dir;
  const int fd = open((dir / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  Written out;
  {
    const Instead instead(fd);
    out.delivery = make(form)->deliver(events);
  }
  close(fd);
  out.text = mikroscope::test::slurp(dir / "out");
  return out;
}

TEST(Stdout, WritesLinesOrObjects) {
  const std::vector<model::Event> events = {test::cpu_sample("r", 0, {1, 9, 0, 0, 0.1, false})};
  const Written lp = written("lp", events);
  EXPECT_EQ(lp.delivery.verdict, Verdict::done);
  EXPECT_EQ(lp.text, "mikroscope_cpu,host=r,cpu=0 user=1i,idle=9i,busy_ratio=0.1 1789000000000000000\n");
  const Written json = written("json", events);
  EXPECT_EQ(json.delivery.verdict, Verdict::done);
  EXPECT_EQ(json.text,
            "{\"measurement\":\"mikroscope_cpu\",\"host\":\"r\",\"time_ns\":1789000000000000000,\"cpu\":0,"
            "\"user\":1,\"idle\":9,\"busy_ratio\":0.1}\n");
}

TEST(Stdout, EveryNameIsValidJson) {
  for (const std::string& name : test::hostile_names()) {
    const Written json = written("json", {test::full_event(name, name, 7)});
    const auto lines = mikroscope::test::lines_of(json.text);
    EXPECT_GT(lines.size(), 20U);
    for (const std::string& line : lines) {
      EXPECT_TRUE(nlohmann::json::accept(line)) << line;
      EXPECT_THAT(line, HasSubstr("\"time_ns\":7,"));
    }
  }
}

TEST(Stdout, AReaderThatIsGoneEndsIt) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  close(ends[0]);
  Delivery delivery;
  {
    const Instead instead(ends[1]);
    delivery =
        make("lp")->deliver(std::vector<model::Event>{test::cpu_sample("r", 0, {1, 9, 0, 0, 0.1, false})});
  }
  close(ends[1]);
  EXPECT_EQ(delivery.verdict, Verdict::fatal);
}

// Interrupted in the middle of a full pipe; the same batch again goes on where it was.
TEST(Stdout, ABatchThatWasBegunIsGoneOnWith) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  std::vector<model::Event> events;
  std::string wanted;
  for (int n = 0; n < 2000; ++n) {
    events.push_back(test::cpu_sample("r", n, {n, 9, 0, 0, 0.1, false}));
    wanted += "mikroscope_cpu,host=r,cpu=0 user=" + std::to_string(n) + "i,idle=9i,busy_ratio=0.1 " +
              std::to_string(test::kStart + n * 100'000'000LL) + "\n";
  }
  std::string got;
  {
    const Instead instead(ends[1]);
    const auto sink = make("lp");
    std::atomic<bool> done{false};
    std::thread interrupter([&] {
      while (!done) {
        sink->interrupt();
        std::this_thread::yield();
      }
    });
    const Delivery first = sink->deliver(events);
    done = true;
    interrupter.join();
    EXPECT_EQ(first.verdict, Verdict::retry);
    std::thread reader([&] {
      char bytes[4096];
      while (got.size() < wanted.size()) {
        const ssize_t size = read(ends[0], bytes, sizeof bytes);
        if (size <= 0) break;
        got.append(bytes, static_cast<std::size_t>(size));
      }
    });
    EXPECT_EQ(sink->deliver(events).verdict, Verdict::done);
    reader.join();
  }
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(got, wanted);
}

TEST(Stdout, RefusesAnotherForm) {
  SinkValues values;
  values.set("stdout", "xml");
  const auto sink = kStdoutSink.make(values);
  ASSERT_FALSE(sink.ok());
  EXPECT_EQ(sink.error().exit, base::Exit::usage);
  EXPECT_THAT(sink.error().fix, HasSubstr("json"));
}

}  // namespace
}  // namespace mikroscope::sinks
