// SPDX-License-Identifier: MIT
/// \file
/// The options of all commands in one table; each command lists the options that it accepts.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/shard.hpp"

namespace paceline {

/// The execution layer that measures.
enum class Device { any, host, cuda };

struct Options {
  std::vector<std::string> operands;
  std::string command_line;            ///< as typed, for the record
  std::string output;                  ///< -o; "" if absent
  std::vector<std::string> overrides;  ///< --set and --seed, in their order on the command line
  int jobs = 1;                        ///< points simulated at the same time
  bool jobs_given = false;             ///< -j is on the command line
  std::optional<Shard> shard;          ///< --shard, or that of the launcher of processes
  bool quiet = false;
  bool json = false;
  bool quick = false;  ///< calibrate --quick
  bool trace = false;
  bool save = false;  ///< --save: keep the weights of trained points
  std::string load;   ///< --load: file of initial weights; "" if absent
  bool unfolded = false;
  bool plot = true;             ///< --no-plot: no figures
  std::string formats = "svg";  ///< --plot: formats of the figures, "svg,pdf,png"
  Device device = Device::any;
  std::optional<int> processes;   ///< --processes: number of processes
  std::optional<int> rank;        ///< --rank: number of this process, from 0
  std::string address;            ///< --address: address on which process 0 listens, "HOST:PORT"
  std::string secret_file;        ///< --secret-file; "" if absent
  std::string svg;                ///< topology show --svg
  bool dot = false;               ///< topology show --dot
  bool matrix = false;            ///< topology show --matrix
  std::string gpu;                ///< topology import --gpu; "" if absent
  int nvswitch = 0;               ///< topology import --nvswitch; 0 if absent
  std::string node;               ///< topology import --node; "" if absent
  std::string link;               ///< topology import --link; "" if absent
  std::string column;             ///< fit --column; "" if absent
  std::string unit;               ///< fit --unit; "" if absent
  std::vector<std::string> only;  ///< fit --only, "COLUMN=VALUE" each
  std::string question;           ///< new --question; "" if absent
  std::vector<std::pair<std::string, std::string>> first_keys;  ///< new: keys and their values
  std::string machine;          ///< collective and new --machine; "" if absent
  std::string op;               ///< collective --op; "" if absent
  std::string algorithm;        ///< collective --algorithm; "" if absent
  std::string against;          ///< collective --against; "" if absent
  std::string smallest{"8"};    ///< collective -b
  std::string largest{"128M"};  ///< collective -e
  double factor = 2;            ///< collective -f
  int ranks = 0;                ///< collective --ranks; 0 if absent
  int iterations = 20;          ///< collective -n
  int warmup = 5;               ///< collective -w
  bool execute = false;         ///< collective --execute
  bool schema = false;          ///< list --schema
  bool reference = false;       ///< list --reference
  bool policies = false;        ///< list --policies
  bool markdown = false;        ///< Markdown instead of text
  bool summary = false;         ///< validate --summary
  bool force = false;           ///< replace files that exist
};

/// An option: `-o DIR`.
struct OptionRow {
  std::string name;
  std::string value;  ///< name of the option's value in help; "" if it takes none
  std::string help;
  void (*apply)(Options&, const std::string& value);  ///< throws SpecError
  /// Candidates for the value, as `CommandRow::completes`; "": files for a FILE or PATH.
  std::string completes{};
};

/// All options, in the order that help shows.
const std::vector<OptionRow>& option_rows();

/// The options in `args` (`-o DIR`, `--set=key=value`, `-j4`; `--` ends them) and the operands.
/// `allowed` lists the options of the command. Throws SpecError.
Options parse_options(std::span<const std::string> args, const std::vector<std::string>& allowed);

/// `word` quoted so that a POSIX shell reads it as one word.
std::string shell_word(const std::string& word);

}  // namespace paceline
