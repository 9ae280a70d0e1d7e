#include <unistd.h>

#include <iostream>

#include "cli/cli.hpp"

int main(int argc, char** argv) {
  return tidegate::cli::run(argc, argv,
                            {.in = std::cin,
                             .out = std::cout,
                             .err = std::cerr,
                             .outIsTerminal = isatty(STDOUT_FILENO) == 1,
                             .errIsTerminal = isatty(STDERR_FILENO) == 1});
}
