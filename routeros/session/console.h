// Commands of the RouterOS console as text: for listings, scripts and the SSH session.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "routeros/session/row.h"
#include "routeros/session/session.h"

namespace mikroscope::routeros {

// A menu, verb or attribute name that may go on the wire: lower-case letters, digits, '.', '/' and '-'.
bool console_name(std::string_view name);
// An item's id: '*' and upper-case hexadecimal digits.
bool console_id(std::string_view text);
// The attribute names an item, so that an id stands there without quotes.
bool console_wants_id(std::string_view name);

// A string in double quotes that a person can read. It means the same in a script, on a terminal and as an
// SSH command; octets beyond ASCII are written \HH, as the router prints them.
std::string console_value(std::string_view value);
// The same string with every octet but letters and digits as \HH: nothing is left for the console to
// interpret.
std::string console_octets(std::string_view value);

// "/interface/veth/add name=agent comment=\"a b\"". Plain lower-case words and decimal numbers stand without
// quotes, and so do ids where an id is wanted. The attribute .id is the item, written
// first and without its name. With `mask_secrets` the values of secret attributes read "(secret)".
std::string console_command(std::string_view menu, std::string_view verb, const Attributes& attributes,
                            bool mask_secrets);
// "[/interface/veth/find name=\"x\" comment=\"y\"]"; with an empty menu "[find …]", for use in a command of
// that menu. Values are always quoted: a bare word in a find is a variable, an unset one is empty, and a bare
// address or number never equals a text.
std::string console_find(std::string_view menu, const std::vector<Where>& where);

}  // namespace mikroscope::routeros
