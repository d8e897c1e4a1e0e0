// SPDX-License-Identifier: MIT
#include "cli/options.hpp"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include "experiments/language/diagnostics.hpp"

namespace paceline {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw SpecError("paceline: error: " + message);
}

/// The number that `value` is, if it is one as a whole.
template <class Number>
std::optional<Number> read_number(const std::string& value) {
  Number number{};
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return number;
}

/// A number of `option` between `least` and `most`.
int number_of(const char* option, const std::string& value, int least, int most) {
  const auto number = read_number<int>(value);
  if (!number || *number < least || *number > most) {
    fail(std::string(option) + " " + quote(value) + " is not a number from " +
         std::to_string(least) + " to " + std::to_string(most));
  }
  return *number;
}

double factor_of(const char* option, const std::string& value) {
  const auto factor = read_number<double>(value);
  if (!factor || !(*factor > 1) || *factor > 1e6) {
    fail(std::string(option) + " " + quote(value) + " is not a number above 1");
  }
  return *factor;
}

template <auto Text>
void set(Options& options, const std::string& value) {
  options.*Text = value;
}

template <auto Texts>
void add(Options& options, const std::string& value) {
  (options.*Texts).push_back(value);
}

template <auto Switch>
void enable(Options& options, const std::string&) {
  options.*Switch = true;
}

/// A key of the file that `new` writes: the option's name is the key.
template <std::size_t Length>
struct KeyName {
  consteval KeyName(const char (&name)[Length]) { std::copy_n(name, Length, text); }
  char text[Length];
};

template <KeyName Name>
void set_key(Options& options, const std::string& value) {
  options.first_keys.emplace_back(Name.text, value);
}

void apply_seed(Options& options, const std::string& value) {
  const bool digits = !value.empty() && std::all_of(value.begin(), value.end(),
                                                    [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) fail("--seed " + quote(value) + " is not a number >= 0");
  options.overrides.push_back("seed=" + value);
}

void apply_formats(Options& options, const std::string& value) {
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    const std::string format = value.substr(begin, end - begin);
    if (format != "svg" && format != "pdf" && format != "png") {
      fail(unknown_name("figure format", format, {"svg", "pdf", "png"}));
    }
    begin = end + 1;
  }
  options.formats = value;
}

void apply_device(Options& options, const std::string& value) {
  if (value == "auto") {
    options.device = Device::any;
  } else if (value == "host") {
    options.device = Device::host;
  } else if (value == "cuda") {
    options.device = Device::cuda;
  } else {
    fail(unknown_name("device", value, {"auto", "host", "cuda"}));
  }
}

/// An argument in two parts: "--set=a=b" or "-j4" as the option's name and the attached value.
struct Written {
  std::string name;
  std::string attached;
  bool has_attached = false;
};

Written take_apart(const std::string& arg) {
  if (arg.starts_with("--")) {
    const std::size_t sign = arg.find('=');
    if (sign == std::string::npos) return {arg, "", false};
    return {arg.substr(0, sign), arg.substr(sign + 1), true};
  }
  return {arg.substr(0, 2), arg.substr(2), arg.size() > 2};
}

const OptionRow& find_option(const std::string& name, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) {
    for (const OptionRow& row : option_rows()) {
      if (row.name == name) return row;
    }
  }
  std::vector<std::string> known = allowed;
  known.emplace_back("--help");
  fail(unknown_name("option", name, known));
}

/// Those of `new` alone.
std::vector<OptionRow> rows_of_new() {
  return {
      {"--question", "NAME", "settings for a question: one of the list above",
       set<&Options::question>, "<questions>"},
      {"--model", "NAME", "network: a preset or a path (default: resnet50)", set_key<"model">,
       "<models> <file>"},
      {"--software", "NAME,...", "framework: a preset of `paceline list software` or a path",
       set_key<"software">, "<software> <file>"},
      {"--nodes", "N", "a cluster of N such machines", set_key<"nodes">},
      {"--network", "LINK", "network of the cluster (default: infiniband-edr, 100 Gbit/s)",
       set_key<"network">, "<links>"},
      {"--precision", "NAME", "number format: fp32, tf32, fp16 or bf16 (default: fp32)",
       set_key<"precision">, "fp32 tf32 fp16 bf16"},
      {"--batch", "N", "items per worker and step", set_key<"batch">},
      {"--workers", "N,...", "numbers of workers (default: powers of two up to the machine's GPUs)",
       set_key<"workers">},
      {"--update", "NAME,...", "update policies (default: sync)", set_key<"update">, "<policies>"},
      {"--aggregation", "NAME,...", "ways in which gradients become new weights",
       set_key<"aggregation">, "<aggregations>"},
      {"--stragglers", "TIME", "mean of a log-normal delay of each mini-batch, or a distribution",
       set_key<"stragglers">, "<stragglers>"},
      {"--input", "NAME,...", "sources of mini-batches (default: synthetic)", set_key<"input">,
       "<inputs>"},
  };
}

/// Those of `collective` alone, named as those of nccl-tests where they mean the same.
std::vector<OptionRow> rows_of_collective() {
  return {
      {"--machine", "NAME", "machine: a preset, a path or this (default: this)",
       set<&Options::machine>, "<machines> <file>"},
      {"--op", "NAME", "operation: all-reduce, reduce-scatter, ... (default: all-reduce)",
       set<&Options::op>, "<operations>"},
      {"--algorithm", "NAME", "all-reduce algorithm (default: nccl on GPUs, else ring)",
       set<&Options::algorithm>, "<algorithms>"},
      {"-b", "SIZE", "smallest size, in bytes or with K, M, G (default: 8)",
       set<&Options::smallest>},
      {"-e", "SIZE", "largest size (default: 128M)", set<&Options::largest>},
      {"-f", "FACTOR", "each size is this many times the one before (default: 2)",
       [](Options& options, const std::string& value) { options.factor = factor_of("-f", value); }},
      {"-n", "N", "measured iterations (default: 20)",
       [](Options& options, const std::string& value) {
         options.iterations = number_of("-n", value, 1, 1'000'000);
       }},
      {"-w", "N", "iterations before the measurement (default: 5)",
       [](Options& options, const std::string& value) {
         options.warmup = number_of("-w", value, 0, 1'000'000);
       }},
      {"--ranks", "N", "ranks (default: the machine's GPUs, or this computer's cores)",
       [](Options& options, const std::string& value) {
         options.ranks = number_of("--ranks", value, 1, 4096);
       }},
      {"--execute", "", "measure it too, on this computer", enable<&Options::execute>},
      {"--against", "FILE", "output of nccl-tests to compare with", set<&Options::against>},
  };
}

/// Those of an experiment and of the processes that run it.
std::vector<OptionRow> rows_of_runs() {
  return {
      {"-o", "PATH", "file or folder to write (default: see each command)", set<&Options::output>},
      {"--set", "KEY=VALUE", "set a key of the file: --set workers=[1,2] (repeatable)",
       add<&Options::overrides>},
      {"--seed", "N", "seed of all random draws (--set seed=N)", apply_seed},
      {"-j", "N", "points simulated in parallel (default: one per core)",
       [](Options& options, const std::string& value) {
         options.jobs = number_of("-j", value, 1, 1024);
         options.jobs_given = true;
       }},
      {"--shard", "I/N",
       "simulate part I of N of the points; the last part to finish writes the results",
       [](Options& options, const std::string& value) { options.shard = read_shard(value); }},
      {"--device", "NAME", "device that measures: auto, host or cuda (default: auto)", apply_device,
       "auto host cuda"},
      {"--trace", "", "write every span to trace.json.gz, for Perfetto", enable<&Options::trace>},
      {"--save", "", "save the weights of each trained point under weights/, as safetensors",
       enable<&Options::save>},
      {"--load", "FILE", "start training from the weights in FILE (safetensors)",
       set<&Options::load>},
      {"--unfolded", "",
       "predict by events alone: fold nothing, work nothing ahead; slower, with equal results",
       enable<&Options::unfolded>},
      {"--processes", "N", "run as one of N processes that are all started with this command",
       [](Options& options, const std::string& value) {
         options.processes = number_of("--processes", value, 1, 256);
       }},
      {"--rank", "R", "number of this process; 0 leads and writes the results",
       [](Options& options, const std::string& value) {
         options.rank = number_of("--rank", value, 0, 255);
       }},
      {"--address", "HOST:PORT", "address of process 0; process R listens on PORT + R",
       set<&Options::address>},
      {"--secret-file", "FILE", "secret that all processes share (needed over a network)",
       set<&Options::secret_file>},
  };
}

std::vector<OptionRow> rows_of_all() {
  std::vector<OptionRow> rows = rows_of_runs();
  const std::vector<OptionRow> others{
      {"--plot", "FORMATS", "formats of the figures: svg, pdf, png (default: svg)", apply_formats,
       "svg pdf png"},
      {"--no-plot", "", "draw no figures",
       [](Options& options, const std::string&) { options.plot = false; }},
      {"--quiet", "", "no progress and no table", enable<&Options::quiet>},
      {"--summary", "", "print one line for each table", enable<&Options::summary>},
      {"--force", "", "replace the file to write if it exists", enable<&Options::force>},
      {"--quick", "", "fewer sizes and repeats: about 20 seconds", enable<&Options::quick>},
      {"--json", "", "print JSON instead of a table", enable<&Options::json>},
      {"--column", "NAME", "column of the times", set<&Options::column>},
      {"--unit", "UNIT", "unit of bare numbers: ns, us, ms, s, min or h (default: s)",
       set<&Options::unit>, "ns us ms s min h"},
      {"--only", "NAME=VALUE", "use only such rows: --only source=measured (repeatable)",
       add<&Options::only>},
      {"--svg", "FILE", "draw the machine into an SVG file (needs Graphviz)", set<&Options::svg>},
      {"--dot", "", "print the drawing as a Graphviz graph", enable<&Options::dot>},
      {"--matrix", "", "print a matrix like that of `nvidia-smi topo -m`",
       enable<&Options::matrix>},
      {"--gpu", "NAME", "GPU preset or file, where an imported file names no GPU",
       set<&Options::gpu>, "<gpus> <file>"},
      {"--nvswitch", "N", "connect each imported GPU to NVSwitches by N NVLinks",
       [](Options& options, const std::string& value) {
         options.nvswitch = number_of("--nvswitch", value, 1, 64);  // bonded into one
       }},
      {"--node", "MACHINE", "machine of each computer, where an imported file has only a network",
       set<&Options::node>, "<machines> <file>"},
      {"--link", "NAME", "link of an imported network (a preset or a file)", set<&Options::link>,
       "<links> <file>"},
      {"--schema", "", "print the JSON Schema of experiment files", enable<&Options::schema>},
      {"--reference", "", "print the reference page of experiment files",
       enable<&Options::reference>},
      {"--markdown", "", "print Markdown tables", enable<&Options::markdown>},
      {"--policies", "", "print the generated tables of docs/policies.md",
       enable<&Options::policies>},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  for (OptionRow& row : rows_of_new()) rows.push_back(std::move(row));
  for (OptionRow& row : rows_of_collective()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

const std::vector<OptionRow>& option_rows() {
  static const std::vector<OptionRow> rows = rows_of_all();
  return rows;
}

Options parse_options(std::span<const std::string> args, const std::vector<std::string>& allowed) {
  Options options;
  options.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  bool only_operands = false;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (only_operands || arg == "-" || !arg.starts_with("-")) {
      options.operands.push_back(arg);
      continue;
    }
    if (arg == "--") {
      only_operands = true;
      continue;
    }
    Written written = take_apart(arg);
    const OptionRow& row = find_option(written.name, allowed);
    if (row.value.empty() && written.has_attached) fail(row.name + " takes no value");
    if (!row.value.empty() && !written.has_attached) {
      if (i + 1 == args.size()) fail(row.name + " needs a value: " + row.name + " " + row.value);
      written.attached = args[++i];
    }
    if (!row.value.empty() && written.attached.empty()) {
      fail(row.name + " needs a value: " + row.name + " " + row.value);
    }
    row.apply(options, written.attached);
  }
  return options;
}

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace paceline
