// Events as documents for _bulk: one for each row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace mikroscope::sinks {

struct BulkItem {
  std::string text;  // the action line and the document, each with its line end
};

// Appends. `index` is a pattern with %Y, %m, %d of the event's time. The same row always has the same _id.
void bulk_items(const model::Event& event, std::string_view index, std::vector<BulkItem>& out);

std::string index_name(std::string_view pattern, std::int64_t wall_ns);  // in lower case
// The index template for indices of `pattern`.
std::string index_template(std::string_view pattern);

}  // namespace mikroscope::sinks
