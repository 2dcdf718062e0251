// InfluxDB line protocol: mikroscope_cpu,host=router,cpu=0 user=1i,busy_ratio=0.3 1789000000100000000
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

// Not for two threads. What the rows and fields of a shape look like is kept: a tick only adds numbers.
class LineProtocol {
 public:
  LineProtocol();
  ~LineProtocol();

  // Appends a line for each row that has a cell. Types never change: integers have an i, all other numbers a
  // point or an exponent. Texts of the kernel log are left out: they belong into log stores.
  void render(const model::Event& event, std::string& out);

 private:
  struct Rendered;
  Rendered& known(const model::Event& event);

  std::map<std::pair<std::uint64_t, std::string>, std::unique_ptr<Rendered>> shapes_;
  Rendered* last_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::string last_host_;
};

// Appends what a tag key, tag value or field key may be: `,` `=` and space escaped, control characters
// replaced by spaces, a trailing backslash (it would swallow what follows) and invalid UTF-8 replaced.
void put_tag(std::string_view text, std::string& out);
// A string field's content, with its quotes.
void put_string_field(std::string_view text, std::string& out);
// Not finite: false, and nothing is appended.
bool put_float(double value, std::string& out);

}  // namespace mikroscope::sinks
