// One sink at work: reads the spool, hands out batches, repeats, looks for what a store refuses, counts. Each
// has its own thread; a slow one delays nobody.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "sinks/pipeline/sink.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::sinks {

struct SinkCounts {
  std::string name;
  std::uint64_t events = 0;  // delivered
  std::uint64_t batches = 0;
  std::uint64_t rejected = 0;  // items that the store refused for good
  std::uint64_t retries = 0;
  std::uint64_t dropped = 0;           // events that the spool let go before this sink had them
  std::uint64_t behind = 0;            // events that wait
  std::int64_t oldest_wall_ns = 0;     // of the batch at hand; 0: up to date
  std::int64_t last_done_wall_ns = 0;  // when the last batch was delivered; 0: never
  std::int64_t deliver_ns = 0;         // how long the last one took
  bool failing = false;                // the last attempt did not work
  bool stopped = false;                // it will not be tried again
  std::string last_error;
};

// Lines for people. Called from any thread.
using Say = std::function<void(const std::string& line)>;

class Runner {
 public:
  Runner(std::unique_ptr<Sink> sink, std::unique_ptr<SpoolReader> reader, Say say);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void start();
  // Nothing more is appended: delivers what is there until `deadline_ns` (CLOCK_MONOTONIC), back-off or not.
  void finish(std::int64_t deadline_ns);
  // True once finish() has nothing left to do.
  bool finished() const { return done_.load(); }
  void join();
  SinkCounts counts() const;
  Sink& sink() { return *sink_; }

 private:
  void run();
  void work_off(SpoolReader::Batch& batch);
  // Delivers events from..to of the batch; false: not now, the rest waits.
  bool deliver(const SpoolReader::Batch& batch, std::size_t from, std::size_t to);
  void refused(const model::Event& event, const std::string& why);
  bool back_off(const Delivery& delivery);
  bool wait_until(std::int64_t monotonic_ns);
  void succeeded(const SpoolReader::Batch& batch, std::size_t to, std::size_t events,
                 const Delivery& delivery, std::int64_t took_ns);

  std::unique_ptr<Sink> sink_;
  std::unique_ptr<SpoolReader> reader_;
  const Say say_;
  const std::string name_;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  SinkCounts counts_;
  std::int64_t finish_by_ns_ = 0;  // 0: go on
  std::atomic<bool> done_{false};
  std::size_t batch_events_ = 0;  // smaller after `split`
  int since_split_ = 0;           // batches
  int failures_ = 0;              // in a row
  std::uint64_t rejects_said_ = 0;
  std::mt19937_64 random_;
};

}  // namespace mikroscope::sinks
