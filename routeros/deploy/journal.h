// What a run has made on a router, kept in a file of this machine, so that a run that was killed can be
// undone or gone on with. One JSON object per line; a line is on the disk before the next write to the
// router.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "base/host/result.h"

namespace mikroscope::routeros {

struct JournalEntry {
  std::string step;  // Step::name
  std::string menu;
  std::string id;    // of the row that was made; empty: begun, and not known to have been made
  std::string file;  // of the file that was made or begun
};

class Journal {
 public:
  // Keeps nothing: for dry runs and tests.
  Journal() = default;
  // Goes on with the file if it is there. The directory must exist.
  static base::Result<Journal> open(const std::string& path);

  // Before a step is sent, and once it is done. A file that cannot be written ends the installation: without
  // its record it could not be undone.
  base::Result<void> begin(const JournalEntry& entry);
  base::Result<void> done(const JournalEntry& entry);
  // One entry per step, in the order of their making: with the id where it is known.
  const std::vector<JournalEntry>& entries() const { return entries_; }
  // The run is complete, or undone: the file is removed.
  void close();

 private:
  base::Result<void> append(const JournalEntry& entry);
  void keep(const JournalEntry& entry);

  std::string path_;
  base::Fd fd_;
  std::vector<JournalEntry> entries_;
};

}  // namespace mikroscope::routeros
