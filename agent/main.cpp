#include "agent/program.h"

int main(int argc, char** argv) {
  return mikroscope::agent::run_program(argc, argv);
}
