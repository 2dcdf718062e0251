#include "sinks/pipeline/runner.h"

#include <gtest/gtest.h>
#include <time.h>

#include <deque>
#include <functional>
#include <mutex>

#include "test_events.h"

namespace mikroscope::sinks {
namespace {

using test::samples;

std::int64_t now_ns() {
  timespec ts{};
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return ts.tv_sec * 1'000'000'000LL + ts.tv_nsec;
}

// A store that answers as its script says, and remembers what it took.
class Scripted final : public Sink {
 public:
  using Answer = std::function<Delivery(const std::vector<std::uint64_t>& seqs)>;
  explicit Scripted(Answer answer, BatchLimits limits = {100, 1'000'000})
      : answer_(std::move(answer)), limits_(limits) {}

  std::string name() const override { return "scripted"; }
  BatchLimits limits() const override { return limits_; }
  Delivery deliver(std::span<const model::Event> events) override {
    std::vector<std::uint64_t> seqs;
    for (const model::Event& event : events) seqs.push_back(event.seq);
    Delivery delivery = answer_(seqs);
    const std::lock_guard lock(mutex_);
    ++attempts_;
    if (delivery.verdict == Delivery::Verdict::done) taken_.insert(taken_.end(), seqs.begin(), seqs.end());
    return delivery;
  }
  base::Result<std::string> check() override { return std::string("yes"); }

  std::vector<std::uint64_t> taken() const {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  int attempts() const {
    const std::lock_guard lock(mutex_);
    return attempts_;
  }

 private:
  Answer answer_;
  BatchLimits limits_;
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> taken_;
  int attempts_ = 0;
};

struct Work {
  explicit Work(Scripted::Answer answer, BatchLimits limits = {100, 1'000'000}) {
    spool = std::move(Spool::open({})).value();
    auto made = std::make_unique<Scripted>(std::move(answer), limits);
    sink = made.get();
    runner =
        std::make_unique<Runner>(std::move(made), spool->reader("scripted"), [this](const std::string& line) {
          const std::lock_guard lock(mutex);
          said.push_back(line);
        });
  }
  void put(std::uint64_t first, std::uint64_t last) {
    ASSERT_TRUE(spool->append(samples("r", first, last), nullptr).ok());
  }
  // Everything that can be delivered is.
  void drain(std::int64_t limit_ns = 20'000'000'000) {
    runner->finish(now_ns() + limit_ns);
    runner->join();
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex);
    return said;
  }

  std::unique_ptr<Spool> spool;
  Scripted* sink = nullptr;
  std::unique_ptr<Runner> runner;
  std::mutex mutex;
  std::vector<std::string> said;
};

std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t n = first; n <= last; ++n) out.push_back(n);
  return out;
}

TEST(Runner, DeliversInOrderAndAcknowledges) {
  Work run([](const auto&) { return Delivery::done(); });
  run.put(1, 250);
  run.runner->start();
  run.drain();
  EXPECT_EQ(run.sink->taken(), numbers(1, 250));
  EXPECT_EQ(run.runner->counts().behind, 0U);
  EXPECT_EQ(run.runner->counts().events, 250U);
}

TEST(Runner, RepeatsUntilTheStoreIsBackAndSaysSoTwice) {
  int attempt = 0;
  Work run(
      [&](const auto&) { return ++attempt < 3 ? Delivery::retry("connection refused") : Delivery::done(); });
  run.put(1, 10);
  run.runner->start();
  run.drain();
  EXPECT_EQ(run.sink->taken(), numbers(1, 10));
  EXPECT_EQ(run.runner->counts().retries, 2U);
  ASSERT_EQ(run.lines().size(), 2U);
  EXPECT_NE(run.lines()[0].find("connection refused"), std::string::npos);
  EXPECT_NE(run.lines()[1].find("works again"), std::string::npos);
}

TEST(Runner, FindsTheEventsThatAStoreWillNeverTake) {
  const auto poison = [](std::uint64_t seq) { return seq == 13 || seq == 64; };
  Work run([&](const std::vector<std::uint64_t>& seqs) {
    for (const std::uint64_t seq : seqs) {
      if (poison(seq)) return Delivery::reject("field type conflict");
    }
    return Delivery::done();
  });
  run.put(1, 100);
  run.runner->start();
  run.drain();
  std::vector<std::uint64_t> expected;
  for (const std::uint64_t n : numbers(1, 100)) {
    if (!poison(n)) expected.push_back(n);
  }
  EXPECT_EQ(run.sink->taken(), expected) << "all the others, once, in order";
  EXPECT_EQ(run.runner->counts().rejected, 2U);
  EXPECT_EQ(run.runner->counts().behind, 0U);
  EXPECT_EQ(run.lines().size(), 1U) << "said once";
}

TEST(Runner, MakesSmallerBatchesForAStoreThatWantsThem) {
  std::size_t largest = 0;
  Work run([&](const std::vector<std::uint64_t>& seqs) {
    if (seqs.size() > 10) return Delivery::split("413");
    largest = std::max(largest, seqs.size());
    return Delivery::done();
  });
  run.put(1, 300);
  run.runner->start();
  run.drain();
  EXPECT_EQ(run.sink->taken(), numbers(1, 300));
  EXPECT_LE(largest, 10U);
  EXPECT_LT(run.sink->attempts(), 60) << "it learns the size";
}

TEST(Runner, StopsForGoodWhenTheStoreDoesNotKnowUs) {
  Work run([](const auto&) { return Delivery::fatal("401 Unauthorized"); });
  run.put(1, 5);
  run.runner->start();
  run.runner->join();
  EXPECT_TRUE(run.runner->counts().stopped);
  EXPECT_EQ(run.runner->counts().behind, 5U) << "they wait for a better token";
  EXPECT_EQ(run.sink->attempts(), 1);
}

TEST(Runner, EndsAtItsDeadlineWithTheRestInTheSpool) {
  Work run([](const auto&) { return Delivery::retry("down"); });
  run.put(1, 5);
  run.runner->start();
  const std::int64_t begin = now_ns();
  run.drain(700'000'000);
  EXPECT_LT(now_ns() - begin, 5'000'000'000);
  EXPECT_EQ(run.runner->counts().behind, 5U);
}

// Both at once: the one that hangs must not be noticed by the other.
TEST(Runner, ASlowStoreDelaysNobodyElse) {
  auto spool = std::move(Spool::open({})).value();
  std::mutex hold;
  hold.lock();
  auto slow = std::make_unique<Scripted>([&](const auto&) {
    const std::lock_guard wait(hold);
    return Delivery::done();
  });
  auto quick = std::make_unique<Scripted>([](const auto&) { return Delivery::done(); });
  Scripted* const quick_sink = quick.get();
  Runner a(std::move(slow), spool->reader("slow"), [](const std::string&) {});
  Runner b(std::move(quick), spool->reader("quick"), [](const std::string&) {});
  a.start();
  b.start();
  for (std::uint64_t n = 1; n <= 50; ++n) ASSERT_TRUE(spool->append(samples("r", n, n), nullptr).ok());
  b.finish(now_ns() + 20'000'000'000);
  b.join();
  EXPECT_EQ(quick_sink->taken(), numbers(1, 50));
  EXPECT_EQ(a.counts().behind, 50U);
  hold.unlock();
  a.finish(now_ns() + 20'000'000'000);
  a.join();
  EXPECT_EQ(a.counts().behind, 0U);
}

}  // namespace
}  // namespace mikroscope::sinks
