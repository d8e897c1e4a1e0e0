// SPDX-License-Identifier: MIT
#include "cli/command.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <iostream>
#include <system_error>

#include <unistd.h>

#include "cli/colour.hpp"
#include "cli/help.hpp"
#include "cli/version.hpp"
#include "exec/processes/launch.hpp"
#include "experiments/language/diagnostics.hpp"
#include "experiments/language/failure.hpp"

namespace paceline {

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> table{
      new_command(),        simulate_command(), execute_command(),  run_experiment_command(),
      explain_command(),    plot_command(),     check_command(),    calibrate_command(),
      collective_command(), compare_command(),  diff_command(),     fit_command(),
      topology_command(),   list_command(),     validate_command(), completion_command(),
      manual_command(),
  };
  return table;
}

const CommandRow& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandRow& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw SpecError("paceline: error: " + unknown_name("command", name, names));
}

namespace {

/// The command line for the record. It leaves out the part of a sweep, so that the record is the
/// same whichever part writes it.
std::string record_of(std::span<const std::string> args) {
  std::string line = "paceline";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].starts_with("--shard=")) continue;
    if (args[i] == "--shard") {
      ++i;
      continue;
    }
    line += " " + shell_word(args[i]);
  }
  return line;
}

int dispatch(std::span<const std::string> args, const Terminal& terminal) {
  if (args.empty()) {
    terminal.err << help_of(commands());
    return kWrongInput;
  }
  if (args.front() == "--help" || args.front() == "-h" || args.front() == "help") {
    terminal.out << help_of(commands());
    return kDone;
  }
  if (args.front() == "--version") {
    terminal.out << "paceline " << version() << "\n";
    return kDone;
  }
  if (args.front().starts_with("-")) {
    throw SpecError("paceline: error: " +
                    unknown_name("option", args.front(), {"--help", "--version"}));
  }
  const CommandRow& command = find_command(args.front());
  const std::span<const std::string> rest = args.subspan(1);
  const auto end = std::find(rest.begin(), rest.end(), "--");
  const auto asks = [](const std::string& arg) { return arg == "--help" || arg == "-h"; };
  if (std::find_if(rest.begin(), end, asks) != end) {
    terminal.out << help_of(command);
    return kDone;
  }
  Options options = parse_options(rest, command.options);
  if (options.json && options.markdown)
    throw SpecError("paceline: error: give --json or --markdown, not both");
  options.command_line = record_of(args);
  return command.run(options, terminal);
}

/// The reason why the output of a command was not written completely; "" if it was.
std::string output_lost(std::ostream& out) {
  const bool failed_before = !out.good();
  errno = 0;
  if (!failed_before && out.flush().good()) return "";
  // errno says nothing about an earlier failure
  const int reason = failed_before ? 0 : errno;
  std::string lost = "cannot write to standard output";
  if (reason != 0) lost.append(" (").append(std::generic_category().message(reason)).append(")");
  return lost;
}

}  // namespace

const std::string& meaning_of(const OptionRow& option, const CommandRow& command) {
  if (option.name == "-o") return command.output;
  for (const auto& [name, meaning] : command.meanings) {
    if (name == option.name) return meaning;
  }
  return option.help;
}

int run_command(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  Terminal terminal{out, err};
  terminal.live = &err == &std::cerr && is_terminal(STDERR_FILENO);
  terminal.colour = terminal.live && colour_allowed();
  terminal.out_live = &out == &std::cout && is_terminal(STDOUT_FILENO);
  terminal.out_colour = terminal.out_live && colour_allowed();
  if (&out == &std::cout) terminal.out_width = columns_of_output();
  terminal.width = terminal.live ? terminal_width(STDERR_FILENO) : terminal.width;
  const auto fail = [&](const std::string& lines, int code) {
    err << coloured_errors(lines + "\n", terminal.colour);
    return code;
  };
  int code = kDone;
  try {
    code = dispatch(args, terminal);
  } catch (const SpecError& error) {
    const std::string line = error.what();
    // an error about a value that is in no file has no place
    const bool placed = line.find("error: ") != std::string::npos;
    code = fail((placed ? "" : "paceline: error: ") + line, kWrongInput);
  } catch (const NoMpi& missing) {
    code = fail(std::string("paceline: error: ") + missing.what(), kNotHere);
  } catch (const std::exception& error) {
    code = fail("paceline: error: " + in_plain_words(error), kPointFailed);
  }
  if (const std::string lost = output_lost(out); !lost.empty()) {
    code = fail("paceline: error: " + lost, code == kDone ? kPointFailed : code);
  }
  return code;
}

}  // namespace paceline
