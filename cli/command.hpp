// SPDX-License-Identifier: MIT
/// \file
/// The command line: a table of commands, one file per command. `run_command` is the whole program
/// except for process start and exit, so that tests can call it.
#pragma once
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.hpp"

namespace paceline {

/// Exit codes. The program also exits with 130 after Ctrl-C.
inline constexpr int kDone = 0;
inline constexpr int kPointFailed = 1;  ///< or any other failure at run time
inline constexpr int kWrongInput = 2;   ///< an error that the user can correct
inline constexpr int kNotHere = 77;     ///< a required device or program is missing on this machine

/// The outputs of a command: data goes to `out`, everything else to `err`.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool live = false;        ///< `err` is a terminal on which a line can be redrawn
  bool colour = false;      ///< `err` shows colours
  bool out_live = false;    ///< `out` is a terminal
  bool out_colour = false;  ///< `out` shows colours
  int width = 80;           ///< columns of `err`
  int out_width = 80;       ///< columns of `out`
};

/// A row of the table of commands.
struct CommandRow {
  std::string name;
  std::string operands;              ///< "FILE...", as shown by help
  std::string help;                  ///< one line
  std::vector<std::string> options;  ///< names of the accepted options
  int (*run)(const Options&, const Terminal&);
  std::string output{"results folder (default: results/NAME)"};  ///< help of -o
  std::string details{};                                         ///< further help text
  /// Candidates for each operand in a shell's completion; the last repeats. Words, `<file>`,
  /// `<folder>`, `<machines>` for the names of a listed kind, `<all>` for all of these. Empty:
  /// files, or folders for a DIR.
  std::vector<std::string> completes{};
  /// Help of options that mean something else in this command, by their names.
  std::vector<std::pair<std::string, std::string>> meanings{};
};

/// The help of an option in a command.
const std::string& meaning_of(const OptionRow& option, const CommandRow& command);

// The rows, one of each command.
CommandRow new_command();
CommandRow simulate_command();
CommandRow execute_command();
CommandRow run_experiment_command();
CommandRow explain_command();
CommandRow plot_command();
CommandRow check_command();
CommandRow calibrate_command();
CommandRow collective_command();
CommandRow compare_command();
CommandRow diff_command();
CommandRow fit_command();
CommandRow topology_command();
CommandRow list_command();
CommandRow validate_command();
CommandRow completion_command();
CommandRow manual_command();

/// The commands, in the order that help shows.
const std::vector<CommandRow>& commands();

/// Throws SpecError if there is no command of this name.
const CommandRow& find_command(const std::string& name);

/// Runs the command line `args` (without the program's name) and returns its exit code. Errors go
/// to `err`, one line each. A failure to write the output is an error too.
int run_command(std::span<const std::string> args, std::ostream& out, std::ostream& err);

}  // namespace paceline
