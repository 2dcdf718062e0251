// JSON as the RouterOS console prints it (:serialize to=json), turned into rows of text.
//
// More tolerant than a JSON library: octets that are not UTF-8 and bare control characters may stand in
// strings, since the router prints what it stores; and numbers keep their digits, since they are text in the
// end.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "routeros/session/row.h"

namespace mikroscope::routeros {

struct JsonRows {
  std::vector<Row> rows;
  std::size_t used = 0;  // octets of the text that the value took
};

// An object is a row, an array of objects is rows, any other value is one row with the attribute "ret".
// Values: strings with their escapes undone (\uXXXX as UTF-8), numbers by their digits (7.000000, which is
// how versions before 7.17 print the string "7", is 7), true and false; arrays joined by ',', objects in them
// as key=value. null and the empty array are absent. Nothing when the text does not begin with a whole value.
std::optional<JsonRows> parse_json_rows(std::string_view text);

}  // namespace mikroscope::routeros
