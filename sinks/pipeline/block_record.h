// The payload of a block record: a head that can be read alone, then the block.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/event.h"
#include "sinks/pipeline/spool.h"

namespace mikroscope::sinks {

struct BlockHead {
  std::uint64_t first_event = 0;
  std::uint64_t events = 0;
  std::string only_for;  // key of the one sink that these events are for; empty: for all
  std::string host;
  std::string instance;
  std::string boot_id;
  std::uint64_t samples = 0;    // of the events
  std::uint64_t first_seq = 0;  // of the samples
  std::uint64_t last_seq = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> lost;  // samples from..to that its gap events tell of
  std::int64_t last_wall_ns = 0;
  std::optional<RouterCursor> cursor;
  std::string_view block;  // within what was parsed
};

BlockHead describe_block(std::span<const model::Event> events);
std::string write_block_record(const BlockHead& head);
// False: damaged.
bool read_block_record(std::string_view payload, BlockHead& head);

std::string write_cursors(const std::map<std::string, RouterCursor>& cursors);
bool read_cursors(std::string_view payload, std::map<std::string, RouterCursor>& cursors);

}  // namespace mikroscope::sinks
