#include <csignal>
#include <string>
#include <vector>

#include "cli/parser.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return mikroscope::cli::run_command_line(std::vector<std::string>(argv, argv + argc));
}
