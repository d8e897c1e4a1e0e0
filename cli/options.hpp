// SPDX-License-Identifier: MIT
/// \file
/// The options of all commands, one table; a command names those that it takes.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace paceline {

/// Which execution layer measures.
enum class Device { any, host, cuda };

struct Options {
  std::vector<std::string> operands;
  std::string command_line;            ///< as typed, for the record
  std::string output;                  ///< -o; "" where not given
  std::vector<std::string> overrides;  ///< --set and --seed, in their order
  int jobs = 1;                        ///< points simulated at the same time
  bool quiet = false;
  bool json = false;
  bool quick = false;  ///< calibrate --quick
  bool trace = false;
  bool plot = true;             ///< --no-plot: no figures
  std::string formats = "svg";  ///< --plot: of the figures, "svg,pdf,png"
  Device device = Device::any;
  std::optional<int> processes;   ///< --processes: of which this is one
  std::optional<int> rank;        ///< --rank: its number, from 0
  std::string address;            ///< --address: where process 0 listens, "HOST:PORT"
  std::string svg;                ///< topology show --svg
  bool dot = false;               ///< topology show --dot
  bool matrix = false;            ///< topology show --matrix
  std::string gpu;                ///< topology import --gpu; "" where not given
  int nvswitch = 0;               ///< topology import --nvswitch; 0 where not given
  std::string column;             ///< fit --column; "" where not given
  std::string unit;               ///< fit --unit; likewise
  std::vector<std::string> only;  ///< fit --only, "COLUMN=VALUE" each
  bool schema = false;            ///< list --schema
  bool reference = false;         ///< list --reference
  bool policies = false;          ///< list --policies
};

/// An option: `-o DIR`.
struct OptionRow {
  std::string name;
  std::string value;  ///< what follows it, "" when nothing does
  std::string help;
  void (*apply)(Options&, const std::string& value);  ///< throws SpecError
};

/// All options, in the order that help shows.
const std::vector<OptionRow>& option_rows();

/// The options in `args` (`-o DIR`, `--set=key=value`, `-j4`; `--` ends them) and the operands.
/// `allowed` names those that the command takes. Throws SpecError.
Options parse_options(std::span<const std::string> args, const std::vector<std::string>& allowed);

/// `word` so that a POSIX shell reads it as one word.
std::string shell_word(const std::string& word);

}  // namespace paceline
