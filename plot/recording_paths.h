// The files of a recording with prefix X. While it runs, those that grow are called .part.
#pragma once

#include <string>

namespace mikroscope::plot {

struct RecordingPaths {
  std::string prefix;

  std::string jsonl() const { return prefix + ".jsonl"; }
  std::string csv() const { return prefix + ".csv"; }
  std::string markers() const {
    return prefix + ".markers.csv";
  }  // never .part: other processes append to it
  std::string meta() const { return prefix + ".meta.json"; }
  std::string jsonl_part() const { return jsonl() + ".part"; }  // locked (flock) while a recorder is alive
  std::string csv_part() const { return csv() + ".part"; }
  std::string meta_part() const { return meta() + ".part"; }
  std::string capture(unsigned long long id) const {
    return prefix + ".capture-" + std::to_string(id) + ".jsonl";
  }
};

}  // namespace mikroscope::plot
