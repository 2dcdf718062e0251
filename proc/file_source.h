// A source that is one kernel file, kept open and re-read from 0.
#pragma once

#include "proc/source.h"

namespace mikroscope::proc {

// Opens `path` and reads it once; the descriptor goes to `fd` only where that worked, so that a file that
// opens and then fails every read (PSI built in but disabled) counts as absent.
ReadStatus open_file(const char* path, base::ReadBuffer buffer, base::FileShape shape, base::Fd& fd);
ReadStatus status_of_errno(int error_number);
// Whether a read failed because the thing behind the file is gone: its driver, its CPU, its namespace.
bool is_gone(int error_number);

class FileSource : public Source {
 public:
  ReadStatus open(const Roots& roots, base::Arena& arena, base::ReadBuffer buffer) override;
  ReadStatus read(Tick& tick) override;
  void paths(void (*visit)(void*, std::string_view), void* context) const override;

 protected:
  // `path` is relative to the proc root and lives as long as the program.
  explicit FileSource(std::string_view path, base::FileShape shape = base::kSingleRecord)
      : path_(path), shape_(shape) {}
  ~FileSource() = default;

  // Parses a whole file. False: not understood, and nothing was set.
  virtual bool parse(std::string_view text, Tick& tick) = 0;
  // Memory for what parse() remembers, taken once. False: the arena is full.
  virtual bool prepare(base::Arena&) { return true; }
  // For a bound that is only known from the file itself.
  void set_shape(base::FileShape shape) {
    if (!shape_wrong_) shape_ = shape;
  }

 private:
  // Reads by the shape; on until_zero ticks, and the first time, to the very end. Where the shape would have
  // ended the read too early it is wrong for this kernel, and the file is read until 0 from then on.
  base::ReadResult read_by_shape(Tick& tick);

  std::string_view path_;
  base::FileShape shape_;
  bool proved_ = false;
  bool shape_wrong_ = false;
  bool prepared_ = false;
  base::Fd fd_;
  char full_path_[kMaxPath] = {};
};

}  // namespace mikroscope::proc
