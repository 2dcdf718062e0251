// What stands between the pull and the stores: all events of all routers in the order in which they came, on
// disk, and for each sink how far it got. What was appended survives the end of the process at any moment.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "model/event.h"
#include "sinks/pipeline/segment.h"

namespace mikroscope::sinks {

struct SpoolOptions {
  std::string dir;  // empty: in memory
  std::uint64_t max_bytes = std::uint64_t{1} << 30;
  std::int64_t max_age_ns = 0;  // 0: no bound
  std::uint64_t segment_bytes = std::uint64_t{16} << 20;
};

// Where a router's samples continue: the last one that is in the spool.
struct RouterCursor {
  std::string instance;
  std::string boot_id;
  std::uint64_t seq = 0;
  std::int64_t wall_ns = 0;
};

struct SpoolCounts {
  std::uint64_t bytes = 0;
  std::uint64_t segments = 0;
  std::uint64_t events = 0;         // numbers given so far
  std::int64_t oldest_wall_ns = 0;  // of the oldest segment; 0: none
  std::uint64_t damaged_records = 0;
  std::uint64_t cut_bytes = 0;  // at the start: a record that was being written when the process ended
};

class SpoolReader;

class Spool {
 public:
  // Another process that uses the directory is Exit::refused.
  static base::Result<std::unique_ptr<Spool>> open(SpoolOptions options);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Events of one router, and with them where its samples continue: both are kept, or (error) neither. Never
  // waits for a sink; beyond the bounds the oldest events go.
  base::Result<void> append(std::span<const model::Event> events, const RouterCursor* cursor);
  std::optional<RouterCursor> cursor(const std::string& host) const;

  // How the sink of this key reads; it goes on where it was, or begins with the oldest event. One reader for
  // a key.
  std::unique_ptr<SpoolReader> reader(const std::string& key);
  // Every now and then: writes to the medium, lets go of what no sink needs, and of what is too old.
  void maintain();
  SpoolCounts counts() const;

 private:
  friend class SpoolReader;
  struct Reader {            // what the spool knows of a sink
    std::uint64_t next = 0;  // the first event that it has not
    std::uint64_t dropped = 0;
    bool open = false;
    int fd = -1;  // of its position file
  };

  Spool() = default;
  base::Result<void> load();
  base::Result<void> roll();
  base::Result<void> write_records(const std::string& records);
  base::Result<void> append_locked(std::span<const model::Event> events, const std::string& block,
                                   const RouterCursor* cursor, const std::string& only_for,
                                   bool again = false);
  void drop_oldest();
  void trim();
  std::uint64_t total_bytes() const;
  void keep_position(Reader& reader);

  SpoolOptions options_;
  int lock_fd_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable appended_;
  std::deque<std::shared_ptr<Segment>> segments_;
  std::set<std::uint64_t> shapes_here_;  // those that the last segment has
  std::map<std::string, RouterCursor> cursors_;
  std::map<std::string, Reader> readers_;
  std::uint64_t next_event_ = 0;
  std::uint64_t next_file_ = 1;
  SpoolCounts counts_;
};

// One sink's way through the spool. Used by one thread.
class SpoolReader {
 public:
  ~SpoolReader();
  SpoolReader(const SpoolReader&) = delete;
  SpoolReader& operator=(const SpoolReader&) = delete;

  struct Batch {
    std::vector<model::Event> events;
    std::vector<std::uint64_t> after;  // for each: what ack() wants once it and all before it are done
  };
  // Appends to `batch` until it has `max_events`; whole blocks, so that it may become a little more. Waits
  // until `deadline_ns` (CLOCK_MONOTONIC) while there is nothing at all. False: it is up to date.
  bool read(std::size_t max_events, std::int64_t deadline_ns, Batch& batch);
  void ack(std::uint64_t after);
  // Goes back by so much before the last acknowledged event, as far as it is still there: for sums that
  // continue.
  void rewind(std::int64_t ns);
  // Wakes a read() that waits.
  void wake();

  std::uint64_t behind() const;   // events that are there and not acknowledged
  std::uint64_t dropped() const;  // events that the spool let go before this sink had them

 private:
  friend class Spool;
  SpoolReader(Spool& spool, std::string key);
  bool next_block(Batch& batch);
  void damaged();
  void note_loss(const struct BlockHead& head, Batch& batch);

  struct LastSample {
    std::string instance;
    std::uint64_t seq = 0;
  };

  Spool& spool_;
  const std::string key_;
  std::shared_ptr<Segment> segment_;
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = 0;  // the event to hand out next
  std::map<std::uint64_t, model::ShapePtr> shapes_;
  std::map<std::string, LastSample> last_;  // by host
  std::set<std::string> unsure_;            // hosts that may have lost samples to damage since their last_
  bool woken_ = false;
};

}  // namespace mikroscope::sinks
