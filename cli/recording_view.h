// A recording as `mark` sees it: running or finished, and how instants lie on its axis.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/host/result.h"
#include "plot/recording_paths.h"
#include "plot/timeline.h"

namespace mikroscope::cli {

struct Instant {
  std::int64_t axis_ns = 0;  // after the first sample
  std::int64_t wall_ns = 0;  // the agent's
  std::optional<std::int64_t> boot_ns;
};

// From the first sample to the last one, or to now where the recording runs; on the agent's wall clock.
struct Span {
  std::int64_t from_wall_ns = 0;
  std::int64_t to_wall_ns = 0;
};

class RecordingView {
 public:
  // Exit::no_data where there is no recording X; Exit::refused where it was cut off and not recovered.
  static base::Result<RecordingView> open(const std::string& prefix);

  bool running() const { return running_; }
  const plot::RecordingPaths& paths() const { return paths_; }

  // The present instant on the agent's clocks; only of a running recording. Reads the meta file only.
  base::Result<Instant> now();
  // An instant as users write it: RFC 3339, HH:MM:SS[.mmm] (UTC), 12.5s or +12.5s (after the first sample),
  // -3s (before now, or before the end of a finished recording), end-5s, seq:N. Exit::usage when it is none
  // of them, Exit::refused when it lies outside, with the span in the message. `base`: what +D counts from
  // instead of the first sample.
  base::Result<Instant> at(std::string_view text, const Instant* base = nullptr);
  base::Result<Instant> at_wall(std::int64_t wall_ns);
  base::Result<Span> wall_span();
  // Of the router's clock when it was recorded; nothing where it was not recorded on a router.
  std::optional<std::int64_t> gmt_offset_s() const;
  // Where the recording lies, in words.
  base::Result<std::string> span();
  // Seconds on the axis of a marker's place; nullopt when it cannot be told.
  std::optional<double> axis_s(std::optional<std::int64_t> boot_ns, std::int64_t wall_ns);

 private:
  base::Result<void> read_axis();
  base::Result<std::int64_t> end_axis();
  Instant instant(std::int64_t axis_ns) const;
  base::Result<std::int64_t> axis_of_seq(std::uint64_t seq);

  plot::RecordingPaths paths_;
  std::string data_;
  bool running_ = false;
  nlohmann::json meta_;
  bool have_axis_ = false;
  plot::Timeline timeline_;
  plot::SampleHead first_;
  plot::SampleHead last_;
};

}  // namespace mikroscope::cli
