// Agent replies, packed or NDJSON, to the lines of a recording.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/agent_link.h"

namespace mikroscope::cli {

// Lives as long as the connection: rows and texts are learnt once.
class ReplyDecoder {
 public:
  ReplyDecoder();
  ~ReplyDecoder();
  // Whole bodies. Packed frames are written out as NDJSON; names lines are added where rows with labels are
  // new. Without `text` there are items only.
  base::Result<void> packed(std::string_view body, const OnLine& on_line, PullResult& result,
                            bool text = true);
  base::Result<void> ndjson(std::string_view body, const OnLine& on_line, PullResult& result);

  // Where the packed decoder stands: a reply that continues there needs neither schema nor base. No instance:
  // nowhere.
  struct Standing {
    std::string instance;
    std::uint64_t seq = 0;
    std::uint32_t schema_hash = 0;
  };
  const Standing& standing() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mikroscope::cli
