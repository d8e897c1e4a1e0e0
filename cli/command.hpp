// SPDX-License-Identifier: MIT
/// \file
/// The command line: a table of commands, one file each, and what each of them is given.
/// `run_command` is the whole program but for the process around it, so tests call it too.
#pragma once
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace paceline {

/// How a command ended; what the shell sees. Beside them 130: stopped by Ctrl-C.
inline constexpr int kDone = 0;
inline constexpr int kPointFailed = 1;  ///< or anything else that went wrong while running
inline constexpr int kWrongInput = 2;   ///< the user can mend it
inline constexpr int kNotHere = 77;     ///< what was asked for is not on this machine

/// Where a command writes: data to `out`, everything else to `err`.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool live = false;        ///< `err` is a terminal: a line may be drawn again and again
  bool colour = false;      ///< `err` takes colours
  bool out_live = false;    ///< `out` is a terminal
  bool out_colour = false;  ///< `out` takes colours
  int width = 80;           ///< columns of `err`
};

/// A row of the table of commands.
struct CommandRow {
  std::string name;
  std::string operands;              ///< "FILE...", as help shows it
  std::string help;                  ///< one line
  std::vector<std::string> options;  ///< the names of those it takes
  int (*run)(const Options&, const Terminal&);
  std::string output{"results folder (default: results/NAME)"};  ///< help of its -o
  std::string details{};                                         ///< what else its help says
};

// The rows, in the order of their files.
CommandRow simulate_command();
CommandRow execute_command();
CommandRow run_experiment_command();
CommandRow explain_command();
CommandRow plot_command();
CommandRow check_command();
CommandRow calibrate_command();
CommandRow fit_command();
CommandRow topology_command();
CommandRow list_command();
CommandRow validate_command();

/// Runs the command line `args` (without the program's name) and returns its exit code. Errors go
/// to `err`, a line each. Output that cannot be written is an error too.
int run_command(std::span<const std::string> args, std::ostream& out, std::ostream& err);

}  // namespace paceline
