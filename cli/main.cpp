// SPDX-License-Identifier: MIT
#include <iostream>
#include <string>
#include <vector>

#include <signal.h>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"

int main(int count, char** words) {
  paceline::stop_cleanly_on_interrupt();
  ::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is then an error of write()
  const std::vector<std::string> args(words + 1, words + count);
  return paceline::run_command(args, std::cout, std::cerr);
}
