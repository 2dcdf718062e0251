// The recording itself: pulls from an agent into the files of a recording until it is told to end.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/host/result.h"
#include "cli/clock_map.h"
#include "cli/marker_input.h"
#include "cli/signals.h"
#include "cli/status_line.h"
#include "cli/target.h"
#include "plot/recording_tally.h"
#include "plot/recording_writer.h"

namespace mikroscope::cli {

struct RecorderOptions {
  std::optional<std::int64_t> for_ns;  // none: until a signal
  bool from_start = false;
  bool fetch_captures = false;
  bool quiet = false;
  std::int64_t poll_ns = 500'000'000;
  std::vector<std::string> argv;
};

// Why a recording ended.
enum class EndedBy : std::uint8_t { duration, signal, second_signal, error };

class Recorder {
 public:
  Recorder(RecorderOptions options, Target& target, plot::RecordingWriter& writer, MarkerInput& markers,
           StopSignals& signals, StatusLine& status);

  // Records and completes the files. ok and failed alike leave whole files behind; a recording without a
  // sample leaves none (Exit::no_data, or why there was none).
  base::Result<base::Exit> run();

  // After run(): the meta file's content, without the capabilities.
  const nlohmann::ordered_json& summary() const { return meta_; }
  std::string summary_text() const;

 private:
  base::Result<void> greet();
  base::Result<void> loop();
  base::Result<void> wait_until(std::int64_t monotonic_ns);
  base::Result<void> pull(std::uint32_t wait_ms);
  base::Result<void> drain();
  void pull_failed(const base::Error& error);
  void pull_worked(const PullResult& result);
  base::Result<void> look_for_restart();
  bool while_waiting(std::int64_t quiet_ns);

  void on_reply(const PullResult& result);
  base::Result<void> on_line(const Line& line);
  base::Result<void> on_frame(const proc::Frame& frame, std::string_view text);
  base::Result<void> on_restart(const std::string& instance);
  base::Result<void> set_marker(plot::Marker marker);
  base::Result<void> typed_lines();
  void measure_clock(int tries);
  base::Result<void> every_second(std::int64_t now);
  base::Result<void> second_of_files(std::int64_t now);
  void show_status(std::int64_t now);
  void fetch_captures(bool last_call);
  void look_at(const proc::Frame& frame);
  nlohmann::ordered_json make_meta() const;
  base::Result<base::Exit> complete(const base::Result<void>& outcome);
  bool stopping() const { return signals_.count() > 0; }
  std::optional<std::int64_t> reached_end(std::int64_t boot_ns) const;

  const RecorderOptions options_;
  Target& target_;
  plot::RecordingWriter& writer_;
  MarkerInput& markers_;
  StopSignals& signals_;
  StatusLine& status_;
  AgentLink& link_;

  plot::RecordingTally tally_;
  ClockMap clock_;
  Health health_;
  std::string capabilities_;
  Cursor cursor_;
  std::string boot_id_;
  std::string reply_instance_;
  std::string reply_boot_id_;
  bool restart_pending_ =
      false;  // the reply comes from a new instance, and its restart line is not written yet
  bool rebooted_ = false;

  proc::TickHeader before_;  // the sample before the one at hand
  // Samples before it are older than the recording, on the agent's clock. The number that an agent names as
  // its newest may be some samples behind.
  std::optional<std::int64_t> begin_boot_ns_;
  std::optional<std::int64_t> first_live_boot_ns_;  // where --for begins to count, on the agent's clock
  bool end_reached_ = false;
  std::vector<proc::Trigger> waiting_triggers_;
  std::set<std::uint64_t> wanted_captures_;
  std::vector<std::string> captures_saved_;

  std::int64_t started_ns_ = 0;  // CLOCK_MONOTONIC
  std::int64_t started_wall_ns_ = 0;
  std::int64_t ended_wall_ns_ = 0;
  std::int64_t last_sample_ns_ = 0;  // CLOCK_MONOTONIC when the last one came
  std::int64_t failing_since_ns_ = 0;
  std::int64_t next_second_ns_ = 0;
  std::int64_t next_clock_ns_ = 0;
  std::int64_t next_capture_ns_ = 0;
  std::int64_t next_look_ns_ = 0;
  bool stalled_ = false;
  base::Result<void> while_waiting_failed_;  // of our own side, found while a request ran
  bool said_background_ = false;
  int resumed_ = 0;  // how often we went on after a stop, as far as the status line knows
  EndedBy ended_by_ = EndedBy::duration;
  std::uint64_t missed_ticks_ = 0;
  std::uint64_t markers_set_ = 0;
  std::string last_marker_;
  std::string cpu_now_;
  std::string memory_now_;
  nlohmann::ordered_json meta_;
};

}  // namespace mikroscope::cli
