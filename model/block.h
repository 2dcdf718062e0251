// Blocks: events of one origin in few bytes. A block can be read with nothing but the shapes that it names.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/host/result.h"
#include "model/event.h"

namespace mikroscope::model {

// All events have the origin of the first one. Compressed (zstd). The same events give the same bytes.
std::string encode_block(std::span<const Event> events);

struct BlockShapes {
  std::vector<std::uint64_t> ids;  // in the order of first use
};
// Which shapes a block needs, without reading its events.
base::Result<BlockShapes> block_shapes(std::string_view block);

using FindShape = std::function<ShapePtr(std::uint64_t id)>;  // nullptr: unknown
// Damaged bytes and unknown shapes are errors, never a crash.
base::Result<std::vector<Event>> decode_block(std::string_view block, const FindShape& find_shape);

// A block with its shapes in it: for messages that are read on their own.
std::string encode_message(std::span<const Event> events);
base::Result<std::vector<Event>> decode_message(std::string_view message);

}  // namespace mikroscope::model
