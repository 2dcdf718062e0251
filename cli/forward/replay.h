// forward --replay: a recording into stores, as if it were collected now.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "sinks/pipeline/sink.h"

namespace mikroscope::cli {

// `name`: a recording's prefix or its .jsonl file. Ends when every store has everything; one that does not
// work for `drain_ns` makes it fail.
base::Result<base::Exit> replay(const std::string& name, std::vector<std::unique_ptr<sinks::Sink>> sinks,
                                std::int64_t drain_ns);

}  // namespace mikroscope::cli
