#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "model/block.h"
#include "sinks/pipeline/block_record.h"
#include "sinks/pipeline/loss.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::sinks {

SpoolReader::SpoolReader(Spool& spool, std::string key) : spool_(spool), key_(std::move(key)) {
  next_ = spool_.readers_[key_].next;
}

SpoolReader::~SpoolReader() {
  const std::lock_guard lock(spool_.mutex_);
  spool_.readers_[key_].open = false;
}

bool SpoolReader::read(std::size_t max_events, std::int64_t deadline_ns, Batch& batch) {
  for (;;) {
    while (batch.events.size() < max_events) {
      if (!next_block(batch)) break;
    }
    if (!batch.events.empty()) return batch.events.size() >= max_events;
    std::unique_lock lock(spool_.mutex_);
    const std::int64_t left = deadline_ns - base::monotonic_ns();
    if (left <= 0 || woken_) {
      woken_ = false;
      return false;
    }
    const std::uint64_t seen = spool_.next_event_;
    if (segment_ && next_ < seen) continue;  // appended since we looked
    spool_.appended_.wait_for(lock, std::chrono::nanoseconds(left),
                              [&] { return woken_ || spool_.next_event_ != seen; });
  }
}

// The next block that is for this sink. False: there is none yet.
bool SpoolReader::next_block(Batch& batch) {
  Record record;
  for (;;) {
    std::shared_ptr<Segment> following;
    {
      const std::lock_guard lock(spool_.mutex_);
      next_ = std::max(next_, spool_.readers_[key_].next);
      if (segment_) {
        const auto at = std::find(spool_.segments_.begin(), spool_.segments_.end(), segment_);
        if (at == spool_.segments_.end()) {
          segment_ = nullptr;  // dropped
        } else if (at + 1 != spool_.segments_.end()) {
          following = *(at + 1);
        }
      }
      if (!segment_) {
        // The last one that begins at or before the next event; its shapes are learnt on the way.
        segment_ = spool_.segments_.front();
        following = nullptr;
        for (const auto& s : spool_.segments_) {
          if (s->first_event() <= next_) segment_ = s;
        }
        const auto at = std::find(spool_.segments_.begin(), spool_.segments_.end(), segment_);
        if (at + 1 != spool_.segments_.end()) following = *(at + 1);
        offset_ = segment_->first_offset();
        shapes_.clear();
      }
    }
    const Segment::Found found = segment_->read(offset_, record);
    if (found == Segment::Found::end) {
      if (!following) return false;
      segment_ = following;
      offset_ = following->first_offset();
      shapes_.clear();
      continue;
    }
    offset_ = record.next;
    if (found == Segment::Found::damaged) {
      damaged();
      continue;
    }
    if (record.type == RecordType::shape) {
      if (auto shape = model::Shape::parse(record.payload)) {
        shapes_.try_emplace((*shape)->id(), *shape);
      } else {
        damaged();
      }
      continue;
    }
    BlockHead head;
    if (record.type != RecordType::block) continue;
    if (!read_block_record(record.payload, head)) {
      damaged();
      continue;
    }
    const std::uint64_t end = head.first_event + head.events;
    if (end <= next_) continue;
    if (!head.only_for.empty() && head.only_for != key_) {
      next_ = end;
      continue;
    }
    auto events = model::decode_block(head.block, [&](std::uint64_t id) -> model::ShapePtr {
      const auto known = shapes_.find(id);
      return known == shapes_.end() ? nullptr : known->second;
    });
    if (!events || events->size() != head.events) {
      damaged();
      next_ = end;
      continue;
    }
    note_loss(head, batch);
    const std::size_t skip =
        next_ > head.first_event ? static_cast<std::size_t>(next_ - head.first_event) : 0;
    for (std::size_t i = skip; i < events->size(); ++i) {
      batch.events.push_back(std::move((*events)[i]));
      batch.after.push_back(head.first_event + i + 1);
    }
    next_ = end;
    return true;
  }
}

void SpoolReader::damaged() {
  for (const auto& [host, last] : last_) unsure_.insert(host);
  const std::lock_guard lock(spool_.mutex_);
  ++spool_.counts_.damaged_records;
}

// What damage took shows by the numbers of the samples around it.
void SpoolReader::note_loss(const BlockHead& head, Batch& batch) {
  if (head.samples == 0) return;
  LastSample& last = last_[head.host];
  if (unsure_.erase(head.host) != 0 && last.instance == head.instance && head.first_seq > last.seq + 1) {
    const auto origin =
        std::make_shared<const model::Origin>(model::Origin{head.host, head.instance, head.boot_id});
    batch.events.push_back(gap_event(origin, last.seq + 1, head.first_seq - 1, "damaged", head.last_wall_ns));
    batch.after.push_back(head.first_event);
  }
  last = {head.instance, head.last_seq};
}

void SpoolReader::ack(std::uint64_t after) {
  const std::lock_guard lock(spool_.mutex_);
  Spool::Reader& reader = spool_.readers_[key_];
  if (after <= reader.next) return;
  reader.next = after;
  spool_.keep_position(reader);
}

void SpoolReader::rewind(std::int64_t ns) {
  std::deque<std::shared_ptr<Segment>> segments;
  {
    const std::lock_guard lock(spool_.mutex_);
    segments = spool_.segments_;
  }
  // Blocks that were acknowledged, oldest first: where each begins, and how young it is.
  std::vector<std::pair<std::uint64_t, std::int64_t>> blocks;
  Record record;
  for (const auto& segment : segments) {
    for (std::uint64_t at = segment->first_offset();;) {
      const Segment::Found found = segment->read(at, record);
      if (found == Segment::Found::end) break;
      at = record.next;
      BlockHead head;
      if (found == Segment::Found::record && record.type == RecordType::block &&
          read_block_record(record.payload, head) && head.first_event < next_)
        blocks.emplace_back(head.first_event, head.last_wall_ns);
    }
  }
  if (blocks.empty()) return;
  const std::int64_t from = blocks.back().second - ns;
  for (const auto& [first_event, last_wall_ns] : blocks) {
    if (last_wall_ns < from) continue;
    const std::lock_guard lock(spool_.mutex_);
    Spool::Reader& reader = spool_.readers_[key_];
    reader.next = std::min(reader.next, first_event);
    next_ = reader.next;
    segment_ = nullptr;
    return;
  }
}

void SpoolReader::wake() {
  const std::lock_guard lock(spool_.mutex_);
  woken_ = true;
  spool_.appended_.notify_all();
}

std::uint64_t SpoolReader::behind() const {
  const std::lock_guard lock(spool_.mutex_);
  const auto found = spool_.readers_.find(key_);
  return spool_.next_event_ - std::min(spool_.next_event_, found->second.next);
}

std::uint64_t SpoolReader::dropped() const {
  const std::lock_guard lock(spool_.mutex_);
  const auto found = spool_.readers_.find(key_);
  return found->second.dropped;
}

}  // namespace mikroscope::sinks
