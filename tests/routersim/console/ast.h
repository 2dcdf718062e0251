// A line of the console language, parsed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/routersim/console/value.h"

namespace mikroscope::routersim::console {

struct Statement;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;
using Block = std::vector<Statement>;

struct Expr {
  enum class Kind : std::uint8_t {
    literal,   // value
    text,      // parts joined: a string with $x in it
    variable,  // text
    word,      // text: a bare word where an expression stands: a property, or a variable
    command,   // block: [ … ]
    code,      // block: { … } of do= and the like
    array,     // keys and parts
    unary,     // text is the operator, parts[0]
    binary,    // text is the operator, parts[0] and [1]
  };
  Kind kind = Kind::literal;
  Value value;
  std::string text;
  std::vector<ExprPtr> parts;
  std::vector<ExprPtr> keys;  // of an array; null: none
  Block block;
};

struct Arg {
  std::string name;  // empty: a value without one
  ExprPtr value;     // null: a bare flag
};

struct Statement {
  enum class Kind : std::uint8_t { block, global, verb };
  Kind kind = Kind::global;
  std::string menu;  // of a verb
  std::string verb;  // or the name of a global command
  std::vector<Arg> args;
  ExprPtr where;  // conditions of find and print
  Block block;
  int line = 1;
  int menu_column = 1;
  int verb_column = 1;
};

}  // namespace mikroscope::routersim::console
