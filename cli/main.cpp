// SPDX-License-Identifier: MIT
#include <iostream>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"

int main(int count, char** words) {
  paceline::stop_cleanly_on_interrupt();
  const std::vector<std::string> args(words + 1, words + count);
  return paceline::run_command(args, std::cout, std::cerr);
}
