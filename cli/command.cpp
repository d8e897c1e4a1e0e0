// SPDX-License-Identifier: MIT
#include "cli/command.hpp"

#include <algorithm>
#include <exception>
#include <iomanip>
#include <iostream>

#include <unistd.h>

#include "cli/version.hpp"
#include "exec/processes/launch.hpp"
#include "experiments/diagnostics.hpp"

namespace paceline {
namespace {

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> table{
      simulate_command(), execute_command(), run_experiment_command(), explain_command(),
      plot_command(),     check_command(),   calibrate_command(),      fit_command(),
      topology_command(), list_command(),    validate_command(),
  };
  return table;
}

std::string usage_of(const CommandRow& command) {
  return command.name + (command.operands.empty() ? "" : " " + command.operands);
}

void print_help(std::ostream& out) {
  out << "paceline predicts and measures how distributed training scales.\n\n";
  std::size_t width = 0;
  for (const CommandRow& command : commands()) width = std::max(width, usage_of(command).size());
  for (const CommandRow& command : commands()) {
    out << "  paceline " << std::left << std::setw(static_cast<int>(width) + 2) << usage_of(command)
        << command.help << "\n";
  }
  out << "\n`paceline COMMAND --help` lists the options of a command; `paceline list` what there "
         "is.\n"
         "Exit codes: 0 done, 1 a point failed, 2 the input is wrong, 77 not on this machine.\n";
}

void print_help(const CommandRow& command, std::ostream& out) {
  out << "paceline " << usage_of(command) << ": " << command.help << "\n\n";
  for (const OptionRow& option : option_rows()) {
    if (std::find(command.options.begin(), command.options.end(), option.name) ==
        command.options.end()) {
      continue;
    }
    const std::string name = option.name + (option.value.empty() ? "" : " " + option.value);
    out << "  " << std::left << std::setw(18) << name << option.help << "\n";
  }
}

const CommandRow& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const CommandRow& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw SpecError("paceline: error: " + unknown_name("command", name, names));
}

int dispatch(std::span<const std::string> args, const Terminal& terminal) {
  if (args.empty()) {
    print_help(terminal.err);
    return kWrongInput;
  }
  if (args.front() == "--help" || args.front() == "-h" || args.front() == "help") {
    print_help(terminal.out);
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
  if (std::find(rest.begin(), end, "--help") != end) {
    print_help(command, terminal.out);
    return kDone;
  }
  Options options = parse_options(rest, command.options);
  options.command_line = "paceline";
  for (const std::string& arg : args) options.command_line += " " + shell_word(arg);
  return command.run(options, terminal);
}

}  // namespace

int run_command(std::span<const std::string> args, std::ostream& out, std::ostream& err) {
  const Terminal terminal{out, err, &err == &std::cerr && isatty(STDERR_FILENO) == 1};
  try {
    return dispatch(args, terminal);
  } catch (const SpecError& error) {
    err << error.what() << "\n";
    return kWrongInput;
  } catch (const NoMpi& missing) {
    err << "paceline: error: " << missing.what() << "\n";
    return kNotHere;
  } catch (const std::exception& error) {
    err << "paceline: error: " << error.what() << "\n";
    return kPointFailed;
  }
}

}  // namespace paceline
