#include "cli/forward/kafka_worker.h"

#include <fmt/format.h>

#include <chrono>
#include <map>

namespace mikroscope::cli {
namespace {

constexpr int kPollMs = 200;
// Messages that may wait for the stores: then reading waits, and the rest stays in Kafka.
constexpr std::size_t kMostWaiting = 2000;

}  // namespace

KafkaWorker::KafkaWorker(std::unique_ptr<sinks::KafkaSource> source, sinks::Spool& spool,
                         std::uint64_t most_bytes, std::function<std::uint64_t()> stored_up_to,
                         sinks::Say say)
    : source_(std::move(source)),
      spool_(spool),
      most_bytes_(most_bytes),
      stored_up_to_(std::move(stored_up_to)),
      say_(std::move(say)) {}

KafkaWorker::~KafkaWorker() {
  finish();
  if (thread_.joinable()) thread_.join();
}

void KafkaWorker::start() {
  thread_ = std::thread([this] { run(); });
}

void KafkaWorker::finish() {
  finish_.store(true);
}

void KafkaWorker::settle() {
  finish();
  if (thread_.joinable()) thread_.join();
  commit_stored();
}

void KafkaWorker::run() {
  bool failing = false;
  while (!finish_.load()) {
    commit_stored();
    if (waiting_.size() >= kMostWaiting || spool_.counts().bytes > most_bytes_) {
      spool_.maintain();
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
      continue;
    }
    auto message = source_->poll(kPollMs);
    if (!message.ok()) {
      say_(fmt::format("kafka: {}{}", message.error().what,
                       message.error().fix.empty() ? "" : "; try: " + message.error().fix));
      return;
    }
    if (!*message) continue;
    sinks::KafkaSource::Polled polled = std::move(**message);
    while (!polled.events.empty() && !finish_.load()) {
      const auto kept = spool_.append(polled.events, nullptr);
      if (kept.ok()) break;
      if (!failing) say_("kafka: " + kept.error().what + "; waiting for room");
      failing = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
    }
    if (finish_.load() && !polled.events.empty() && failing) return;  // read again by whoever comes next
    failing = false;
    polled.events.clear();
    // Nothing of another origin lies between: this worker alone appends samples. Reports may, which only
    // makes it later.
    waiting_.push_back({spool_.counts().events, std::move(polled)});
  }
}

// In the order of reading, so that of each partition nothing is passed over.
void KafkaWorker::commit_stored() {
  const std::uint64_t stored = stored_up_to_();
  std::map<std::int32_t, sinks::KafkaSource::Polled> last;
  while (!waiting_.empty() && waiting_.front().end <= stored) {
    last[waiting_.front().message.partition] = std::move(waiting_.front().message);
    waiting_.pop_front();
  }
  for (const auto& [partition, message] : last) {
    const auto done = source_->commit(message);
    if (!done.ok()) say_("kafka: " + done.error().what);
  }
}

}  // namespace mikroscope::cli
