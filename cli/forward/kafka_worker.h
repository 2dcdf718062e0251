// What other collectors published to Kafka, into the spool of this one: forward --from. An offset is
// committed only once every store has taken what lies before it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "cli/forward/collector.h"
#include "sinks/stores/kafka_source.h"

namespace mikroscope::cli {

class KafkaWorker final : public SideWorker {
 public:
  // `stored_up_to`: the number of the first event that not every store has.
  // While the spool holds more than `most_bytes`, nothing is read: it must not drop what was not committed.
  KafkaWorker(std::unique_ptr<sinks::KafkaSource> source, sinks::Spool& spool, std::uint64_t most_bytes,
              std::function<std::uint64_t()> stored_up_to, sinks::Say say);
  ~KafkaWorker() override;

  void start() override;
  void finish() override;  // no more is read; what is stored by then is still committed by settle()
  // After the stores have ended: commits what they have.
  void settle() override;

 private:
  struct Waiting {
    std::uint64_t end = 0;  // the first event behind this message
    sinks::KafkaSource::Polled message;
  };
  void run();
  void commit_stored();

  std::unique_ptr<sinks::KafkaSource> source_;
  sinks::Spool& spool_;
  const std::uint64_t most_bytes_;
  std::function<std::uint64_t()> stored_up_to_;
  const sinks::Say say_;
  std::thread thread_;
  std::atomic<bool> finish_{false};
  std::deque<Waiting> waiting_;
};

}  // namespace mikroscope::cli
