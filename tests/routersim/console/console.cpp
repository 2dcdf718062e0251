#include "tests/routersim/console/console.h"

#include "tests/routersim/console/interpreter.h"
#include "tests/routersim/console/parser.h"

namespace mikroscope::routersim::console {

Console::Console(Router& router, User user)
    : router_(router), user_(std::move(user)), grammar_(router.config().ros) {}

Result Console::run(std::string_view text, const std::atomic<bool>* cancelled) {
  Result result;
  while (!text.empty()) {
    const std::string_view command = next_command(text);
    Interpreter interpreter(router_, user_, grammar_, globals_, cancelled);
    result.failed = false;
    try {
      std::string menu;
      interpreter.run(parse(grammar_, command, menu));
    } catch (const ScriptError& error) {
      interpreter.print(error.what());
      result.failed = true;
    } catch (const Returned&) {
      // the end of this line
    } catch (const Cut&) {
      result.cut = true;
    }
    result.output += interpreter.output();
    if (result.cut) break;
  }
  return result;
}

}  // namespace mikroscope::routersim::console
