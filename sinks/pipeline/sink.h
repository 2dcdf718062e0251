// A store. It formats, sends and says what came of it; batching, retries, back-off, counting and the spool
// are the runner's (runner.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "model/event.h"

namespace mikroscope::sinks {

// What became of a batch.
struct Delivery {
  enum class Verdict : std::uint8_t {
    done,    // the store has it, but for `rejected`
    retry,   // nothing is certain: the same batch again, later
    reject,  // the store refuses something in this batch and will always: the runner looks for it by halves
    split,   // too large: smaller batches
    fatal,   // it will never work: a wrong token, a database that does not exist
  };
  Verdict verdict = Verdict::done;
  std::string why;                             // what came back; no secrets
  std::optional<std::int64_t> retry_after_ns;  // what the store asked for
  std::uint64_t rejected = 0;  // with done: items (rows, points, documents) that the store refused for good
  std::string rejected_why;    // the first reason

  static Delivery done() { return {}; }
  static Delivery retry(std::string why);
  static Delivery reject(std::string why);
  static Delivery split(std::string why);
  static Delivery fatal(std::string why);
};

struct BatchLimits {
  std::size_t events = 2000;               // at most
  std::int64_t linger_ns = 1'000'000'000;  // how long the first event of a batch may wait for others
};

class Sink {
 public:
  virtual ~Sink() = default;

  virtual std::string name() const = 0;  // "influx http://127.0.0.1:8181": for people and metrics; no secrets
  virtual BatchLimits limits() const { return {}; }
  // One attempt, within about 10 s (interrupt() ends it early). Called from one thread. Events come in order;
  // after `retry` the same ones come again, and a sink renders them to the same bytes.
  virtual Delivery deliver(std::span<const model::Event> events) = 0;
  // Asks the store whether it would take events, and writes nothing: its answer in words. An error says what
  // to do; Exit::auth where the store does not know us.
  virtual base::Result<std::string> check() = 0;
  // A sink that adds up over time (per second, say) gets this much again after a start, to continue sums.
  virtual std::int64_t rewind_ns() const { return 0; }
  // Every now and then while nothing comes; a sink with buffers of its own empties them.
  virtual void idle() {}
  // From another thread: a deliver() or check() under way should end soon, as retry.
  virtual void interrupt() {}
};

}  // namespace mikroscope::sinks
