// The router's own log (/log).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace mikroscope::routersim {

struct LogLine {
  std::uint64_t number = 0;  // its .id
  std::int64_t wall_s = 0;   // UTC seconds
  std::string topics;        // "container,info,debug"
  std::string message;
};

class Log {
 public:
  void add(std::string topics, std::string message);
  const std::deque<LogLine>& lines() const { return lines_; }

 private:
  std::deque<LogLine> lines_;
  std::uint64_t next_ = 1;
};

}  // namespace mikroscope::routersim
