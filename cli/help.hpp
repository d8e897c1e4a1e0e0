// SPDX-License-Identifier: MIT
/// \file
/// The text of --help, in lines of at most 80 columns.
#pragma once
#include <span>
#include <string>

#include "cli/command.hpp"

namespace paceline {

/// An exit code of the program.
struct ExitCode {
  const char* code;
  const char* meaning;
};
std::span<const ExitCode> exit_codes();

/// Help of the program: its commands and exit codes.
std::string help_of(std::span<const CommandRow> commands);

/// Help of one command: its operands and options.
std::string help_of(const CommandRow& command);

}  // namespace paceline
