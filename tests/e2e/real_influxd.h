// A real InfluxDB 1.x for tests of the whole collector: started, ended and asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/loopback.h"
#include "tests/support/program.h"

namespace mikroscope::test {

// Where a program is; empty: it is not installed.
std::string path_of(const std::string& program);

class RealInfluxd {
 public:
  RealInfluxd();
  ~RealInfluxd();
  RealInfluxd(const RealInfluxd&) = delete;
  RealInfluxd& operator=(const RealInfluxd&) = delete;

  // Both wait until it is so. Data stay over a stop.
  bool start();
  void stop();
  std::string url() const;
  const std::string& database() const { return database_; }
  // The answer of InfluxQL as CSV, without its head line; empty where it does not answer.
  std::vector<std::string> rows(const std::string& query);
  // Column `column` (from 0) of those rows.
  std::vector<std::int64_t> integers(const std::string& query, std::size_t column);

 private:
  TempDir dir_;
  int port_ = 0;
  std::string database_ = "mk";
  std::unique_ptr<Program> server_;
};

}  // namespace mikroscope::test
