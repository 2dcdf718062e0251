// Ctrl-C and SIGTERM: the first asks for an orderly end, the second for an end at once.
#pragma once

namespace mikroscope::cli {

// Installs handlers for SIGINT, SIGTERM, SIGHUP and SIGCONT while it lives; one at a time in a process.
// SIGTTIN and SIGTTOU are ignored too, so that a job in the background is never stopped for touching the
// terminal.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int count() const;  // signals up to now
  int fd() const;     // readable from the first signal on, for poll(); acknowledge() empties it
  void acknowledge() const;
  int last_signal() const;
  int resumed() const;  // how often the process went on after Ctrl-Z or SIGSTOP
};

}  // namespace mikroscope::cli
