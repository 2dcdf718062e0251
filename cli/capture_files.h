// A capture of an agent as the files of a recording.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "base/host/result.h"
#include "cli/target.h"
#include "plot/recording_writer.h"

namespace mikroscope::cli {

struct SavedCapture {
  std::uint64_t samples = 0;
  std::uint64_t markers = 0;
  bool complete = false;  // the agent has the whole window
};

// X.jsonl, X.csv, X.markers.csv (its triggers) and X.meta.json. Exit::no_data where the capture holds no
// sample; nothing is left then.
base::Result<SavedCapture> save_capture(Target& target, std::uint64_t id, plot::RecordingWriter& writer);

}  // namespace mikroscope::cli
