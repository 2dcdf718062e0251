// Turns text into statements, as the router's console does: a whole command is parsed before any of it runs.
#pragma once

#include <string>
#include <string_view>

#include "tests/routersim/console/ast.h"
#include "tests/routersim/console/grammar.h"

namespace mikroscope::routersim::console {

// The next command of a text: up to a line break outside of brackets, braces and strings. Removes it from the
// front, with the line break.
std::string_view next_command(std::string_view& text);

// Throws ScriptError (parsing) with the router's words: "bad command name x (line 1 column 5)". `menu` is
// where relative names start; a line that names only a menu changes it.
Block parse(const Grammar& grammar, std::string_view text, std::string& menu, int line = 1);

}  // namespace mikroscope::routersim::console
