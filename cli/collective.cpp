// SPDX-License-Identifier: MIT
//
// A collective alone, from options like those of nccl-tests: an experiment file is made of them and
// run as any other.
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "cli/command.hpp"
#include "cli/experiment_run.hpp"
#include "exec/machine/usable_cores.hpp"
#include "experiments/language/unit_table.hpp"
#include "experiments/language/yaml.hpp"
#include "topology/machine.hpp"

namespace paceline {
namespace {

constexpr double kLargest = 1e12;  // bytes
constexpr std::size_t kMostSizes = 1000;

[[noreturn]] void fail(const std::string& message) {
  throw SpecError("paceline: error: " + message);
}

/// "8", "64K", "1.5M" or "1G" in bytes, as nccl-tests reads them: K is 1024.
double size_of(const std::string& option, const std::string& text) {
  double size = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, size);
  const std::string unit(rest, end);
  double times = -1;
  if (unit.empty() || unit == "B") times = 1;
  if (unit == "K" || unit == "KiB") times = 1024;
  if (unit == "M" || unit == "MiB") times = 1024.0 * 1024;
  if (unit == "G" || unit == "GiB") times = 1024.0 * 1024 * 1024;
  size *= times;
  if (error != std::errc{} || !(size >= 4) || size > kLargest)
    fail(option + " " + quote(std::string_view(text)) +
         " is not a size of 4 bytes to 1 TB, such as 8, 64K, 1M or 1G");
  return size;
}

/// Whole floats, from -b to -e, each once: small ones grow by less than a float.
Tree sizes_of(const Options& options) {
  const double first = size_of("-b", options.smallest);
  const double last = size_of("-e", options.largest);
  if (last < first) fail("-e " + options.largest + " is below -b " + options.smallest);
  Tree sizes = Tree::list({});
  Bytes before;
  std::size_t tried = 0;
  for (double size = first; size <= last; size *= options.factor) {
    if (++tried > kMostSizes)
      fail("-f " + print_number(options.factor) + " gives more than 1000 sizes");
    const Bytes whole{4 * std::floor(size / 4)};
    if (whole != std::exchange(before, whole)) sizes.items.push_back(Value<Bytes>::write(whole));
  }
  return sizes.items.size() == 1 ? sizes.items.front() : sizes;
}

/// The machine of the options: a name, a path, or flow YAML such as {of: dgx-h100, count: 2, ...}.
Tree machine_of(const Options& options) {
  const std::string& text = options.machine;
  return text.starts_with("{") ? parse_yaml("--machine", text) : Tree::scalar(text);
}

/// GPUs of a described machine.
int gpus_of(const Options& options) {
  if (options.machine.empty() || options.machine == "this") return 0;
  return load_machine(machine_of(options)).gpu_count();
}

int ranks_of(const Options& options, int gpus) {
  if (options.ranks > 0) return options.ranks;
  if (options.machine.empty() || options.machine == "this") return usable_cores();
  return std::max(1, gpus);
}

/// The name of an algorithm, or a program of MSCCL.
Tree algorithm_of(const std::string& text) {
  if (!text.ends_with(".xml")) return Tree::scalar(text);
  Tree program = Tree::map();
  program.set("kind", Tree::scalar("msccl"));
  program.set("file", Tree::quoted_scalar(std::filesystem::absolute(text).string()));
  return program;
}

/// The experiment file that the options stand for.
std::string experiment_of(const Options& options) {
  const std::string machine = options.machine.empty() ? "this" : options.machine;
  const int gpus = gpus_of(options);
  const std::string op = options.op.empty() ? "all-reduce" : options.op;
  Tree workload = Tree::map();
  workload.set("kind", Tree::scalar("collective"));
  workload.set("op", Tree::scalar(op));
  workload.set("size", sizes_of(options));
  if (!options.algorithm.empty()) {
    workload.set("algorithm", algorithm_of(options.algorithm));
  } else if (gpus > 1) {
    workload.set("algorithm", Tree::scalar("nccl"));
  }
  if (!options.against.empty()) {
    workload.set("against",
                 Tree::quoted_scalar(std::filesystem::absolute(options.against).string()));
  }
  std::string name = std::filesystem::path(machine).stem().string();
  if (machine.starts_with("{")) name = load_machine(machine_of(options)).name();
  std::erase(name, ' ');
  std::string text = "# How long does an " + op + " take?\n";
  text += "name: " + op + "-" + name + "\n";
  text += "machine: " + machine + "\n";
  text += "workload: " + to_flow(workload) + "\n";
  text += "workers: " + std::to_string(ranks_of(options, gpus)) + "\n";
  text += "steps: " + std::to_string(options.iterations) + "\n";
  text += "warmup: " + std::to_string(options.warmup) + "\n";
  return text;
}

int collective(const Options& options, const Terminal& terminal) {
  if (!options.operands.empty())
    fail("collective takes options only (a file with 'workload' is for simulate, execute and run)");
  std::vector<ExperimentFile> files;
  files.push_back(load_experiment_text("collective", experiment_of(options), options.overrides));
  settle_here(files.front(), options);
  return run_loaded(std::move(files), options, terminal, {true, options.execute});
}

}  // namespace

CommandRow collective_command() {
  return {"collective",
          "",
          "time one collective against its size, as nccl-tests does",
          {"--machine",
           "--op",
           "--algorithm",
           "--ranks",
           "-b",
           "-e",
           "-f",
           "-n",
           "-w",
           "--execute",
           "--against",
           "-o",
           "--set",
           "--device",
           "-j",
           "--processes",
           "--rank",
           "--address",
           "--secret-file",
           "--plot",
           "--no-plot",
           "--quiet",
           "--json",
           "--markdown"},
          collective};
}

}  // namespace paceline
