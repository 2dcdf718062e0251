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

// Not for two threads. What the rows and fields of a shape look like is kept, for all hosts: a tick only adds
// numbers.
class LineProtocol {
 public:
  LineProtocol();
  ~LineProtocol();
  LineProtocol(LineProtocol&&) noexcept;
  LineProtocol& operator=(LineProtocol&&) noexcept;

  // Appends a line for each row that has a cell, in the order of the shape; tags are host and the keys in
  // their order. Types never change: integers have an i, all other numbers a point or an exponent. Texts of
  // the kernel log are left out: they belong into log stores.
  void render(const model::Event& event, std::string& out);

 private:
  struct Rendered;
  Rendered& known(const model::ShapePtr& shape);
  char* room(char* at, std::size_t bytes);
  char* put_cell(const model::Event& event, const model::Field& field, std::uint32_t slot, char* at,
                 bool& nonzero);

  std::map<std::uint64_t, std::unique_ptr<Rendered>> shapes_;
  Rendered* last_ = nullptr;
  std::string last_host_;  // as told, and as a tag
  std::string host_tag_;
  std::string buffer_;  // lines of one event
};

// Without a cache.
void render_line_protocol(const model::Event& event, std::string& out);

// The text of kernel log records: log stores take it, metric stores have its counts (kmsg).
bool for_logs_only(const model::Measurement& measurement);

// Appends a tag value: `,` `=` and space escaped, control characters as spaces, invalid UTF-8 as U+FFFD. A
// backslash means something before `,` `=` space and at the end, and versions read it in different ways:
// there a `_` follows it.
void put_tag(std::string_view text, std::string& out);
// A string field's content, with its quotes.
void put_string_field(std::string_view text, std::string& out);
// A name that no query needs to quote: all but [A-Za-z0-9_] is `_` (counters of RouterOS have dashes).
std::string plain_name(std::string_view name);
// Lines in a text; each ends with a newline.
std::uint64_t count_lines(std::string_view lines);

}  // namespace mikroscope::sinks
