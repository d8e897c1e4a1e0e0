// SPDX-License-Identifier: MIT
#include "cli/manifest.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cli/computer.hpp"
#include "cli/hash.hpp"
#include "cli/results_csv.hpp"
#include "cli/timestamp.hpp"
#include "cli/trained_weights.hpp"
#include "cli/version.hpp"
#include "experiments/language/json.hpp"
#include "sim/costs/calibrating_row.hpp"
#include "topology/drawing.hpp"
#include "training/profile/measured_machine.hpp"
#include "training/profile/profile.hpp"

namespace paceline {
namespace {

Tree texts(const std::vector<std::string>& sentences) {
  std::vector<Tree> all;
  all.reserve(sentences.size());
  for (const std::string& sentence : sentences) all.push_back(Tree::quoted_scalar(sentence));
  return Tree::list(std::move(all));
}

/// The short names of swept values, by key and value.
Tree names(const SweptLabels& labels) {
  Tree all = Tree::map();
  for (const auto& [path, by_value] : labels.all()) {
    Tree of_key = Tree::map();
    for (const auto& [value, name] : by_value) of_key.set(value, Tree::quoted_scalar(name));
    all.set(path, std::move(of_key));
  }
  return all;
}

/// The constants of the software stacks in use that were fitted to a table.
Tree fitted_constants(const ExperimentFile& file) {
  std::set<std::string> seen;
  std::vector<Tree> all;
  for (const ExperimentPoint& point : file.points) {
    const Tree values = write_keys(*point.software);
    for (const std::string& name : point.software->fitted) {
      const Tree* value = values.find(name);
      const std::string shown = value != nullptr ? to_flow(*value) : "";
      const std::string stack = to_flow(point.experiment.software);
      if (!seen.insert(stack + "\n" + name).second) continue;
      const auto source = point.software->sources.find(name);
      Tree row = Tree::map();
      row.set("name", Tree::quoted_scalar(stack.size() < 40 ? stack + ": " + name : name));
      row.set("value", Tree::quoted_scalar(shown));
      row.set("unit", Tree::quoted_scalar(""));
      row.set("source",
              Tree::quoted_scalar(source == point.software->sources.end() ? "" : source->second));
      all.push_back(std::move(row));
    }
  }
  return Tree::list(std::move(all));
}

Tree notes(const ExperimentFile& file, const std::vector<ResultRow>& rows) {
  std::vector<Tree> all;
  std::size_t steps = 0;
  bool bound = false;
  for (const ResultRow& row : rows) {
    steps += row.measurement.steps.size();
    bound = bound || row.measurement.status == "bound";
  }
  if (steps > 0) {
    std::string note =
        "steps.csv has the first steps of each point's first repeat, at most 400 a point";
    if (steps > kMostSteps) note += ", and only of the first points (at most 20,000 rows)";
    all.push_back(Tree::quoted_scalar(note + "."));
  }
  const bool scaled = std::any_of(file.points.begin(), file.points.end(), [](const auto& point) {
    return calibrating_row(point).has_value();
  });
  if (scaled) {
    all.push_back(Tree::quoted_scalar(
        "The published throughput of one worker, or of the fewest, sets the cost of arithmetic."));
  }
  const bool extremes = std::any_of(file.points.begin(), file.points.end(), [](const auto& point) {
    return point.experiment.draws == Draws::extremes;
  });
  if (extremes) {
    all.push_back(Tree::quoted_scalar(
        "With draws: extremes only the longest delay of equal workers is drawn: delay_s is that "
        "of the last worker of each lane, wait_s what these wait for each other, and no steps of "
        "workers are kept."));
  }
  if (bound) {
    all.push_back(
        Tree::quoted_scalar("Where no closed form holds, theory is a bound and is drawn dotted."));
  }
  return Tree::list(std::move(all));
}

Tree host() {
  const Computer computer = this_computer();
  Tree tree = Tree::map();
  tree.set("cpu", Tree::quoted_scalar(computer.cpu));
  tree.set("cores", Tree::scalar(std::to_string(computer.cores)));
  tree.set("os", Tree::quoted_scalar(computer.os));
  return tree;
}

/// The GPUs that measured, with their drivers and libraries.
Tree cuda(const AcceleratorFacts& facts) {
  std::vector<Tree> gpus;
  for (const GpuFacts& gpu : facts.gpus) {
    Tree row = Tree::map();
    row.set("name", Tree::quoted_scalar(gpu.name));
    row.set("memory_bytes", Tree::scalar(print_number(gpu.memory.value())));
    row.set("sms", Tree::scalar(std::to_string(gpu.sms)));
    row.set("bus", Tree::quoted_scalar(gpu.bus));
    gpus.push_back(std::move(row));
  }
  Tree tree = Tree::map();
  tree.set("gpus", Tree::list(std::move(gpus)));
  tree.set("driver", Tree::quoted_scalar(facts.driver));
  tree.set("runtime", Tree::quoted_scalar(facts.runtime));
  tree.set("cudnn", Tree::quoted_scalar(facts.cudnn));
  tree.set("nccl", Tree::quoted_scalar(facts.nccl));
  return tree;
}

/// The conditions of each measurement, if recorded.
Tree conditions(const std::vector<ResultRow>& rows) {
  std::vector<Tree> all;
  for (const ResultRow& row : rows) {
    const Measurement& measured = row.measurement;
    if (measured.split.empty() && measured.clocks.empty() && !measured.other_cores) continue;
    Tree tree = Tree::map();
    tree.set("point", Tree::scalar(std::to_string(row.index)));
    if (!measured.split.empty()) tree.set("split", Tree::quoted_scalar(measured.split));
    if (!measured.clocks.empty()) tree.set("clocks", Tree::quoted_scalar(measured.clocks));
    if (measured.other_cores)
      tree.set("other_cores", Tree::scalar(print_number(*measured.other_cores)));
    all.push_back(std::move(tree));
  }
  return Tree::list(std::move(all));
}

/// How many points were simulated in each way.
Tree simulated(const std::vector<ResultRow>& rows) {
  std::map<std::string, int> ways;
  for (const ResultRow& row : rows) {
    if (!row.measurement.simulated.empty()) ++ways[row.measurement.simulated];
  }
  Tree tree = Tree::map();
  for (const auto& [way, points] : ways) tree.set(way, Tree::scalar(std::to_string(points)));
  return tree;
}

std::string machines(const ExperimentFile& file) {
  std::vector<std::string> names;
  for (const ExperimentPoint& point : file.points) {
    const std::string name = point.machine_name();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return join(names);
}

/// The swept keys of each point; of a large sweep, only the first thousand points.
Tree swept_points(const ExperimentFile& file) {
  std::vector<Tree> points;
  for (const ExperimentPoint& point : file.points) {
    if (points.size() == 1000) break;
    Tree swept = Tree::map();
    for (const SweptKey& key : point.swept) swept.set(key.path, Tree::scalar(key.value));
    points.push_back(std::move(swept));
  }
  return Tree::list(std::move(points));
}

}  // namespace

std::shared_ptr<const Machine> machine_of(const ExperimentPoint& point, const Profile* profile,
                                          bool on_gpus) {
  if (point.machine) return point.machine;
  if (profile == nullptr) return nullptr;
  if (on_gpus && !profile->gpus.empty() && has_links(*profile)) {
    return std::make_shared<const Machine>(measured_machine(*profile));
  }
  return std::make_shared<const Machine>(this_machine(profile->host));
}

std::string manifest_json(const ExperimentFile& file, const Options& options,
                          const Profile* profile, const AcceleratorFacts* gpus,
                          const std::vector<ResultRow>& rows, const Summary& summary,
                          const SweptLabels& labels) {
  const ExperimentPoint& first = file.points.front();
  const auto machine = machine_of(first, profile, gpus != nullptr);
  const bool drawn = machine && machine->kind() != Machine::Kind::ideal;
  const bool graph = machine && machine->kind() == Machine::Kind::described;
  const std::optional<std::string> svg =
      graph && options.plot ? to_svg(*machine) : std::optional<std::string>{};
  Tree tree = Tree::map();
  tree.set("experiment", Tree::quoted_scalar(file.name));
  tree.set("question", Tree::quoted_scalar(file.question));
  tree.set("findings", texts(summary.findings));
  tree.set("agreement", texts(summary.agreement));
  tree.set("layer_times", texts(summary.layer_times));
  tree.set("labels", names(labels));
  tree.set("command", Tree::quoted_scalar(options.command_line));
  tree.set("version", Tree::quoted_scalar(version()));
  tree.set("git", Tree::quoted_scalar(git_commit()));
  tree.set("compiler", Tree::quoted_scalar(compiler()));
  tree.set("seed", Tree::scalar(std::to_string(first.experiment.seed)));
  tree.set("started", Tree::quoted_scalar(utc_now()));
  tree.set("simulated_by", simulated(rows));
  tree.set("host", host());
  if (gpus != nullptr) {
    tree.set("cuda", cuda(*gpus));
  }
  if (Tree measured = conditions(rows); !measured.items.empty()) {
    tree.set("measured_points", std::move(measured));
  }
  if (const InitialWeights* initial = loaded_weights(file); initial != nullptr) {
    tree.set("initial_weights", origin_of(*initial));
  }
  if (Tree saved = saved_files(rows); !saved.items.empty()) tree.set("weights", std::move(saved));
  tree.set("machine", Tree::quoted_scalar(machines(file)));
  tree.set("machine_text", Tree::quoted_scalar(drawn ? to_text(*machine) : ""));
  tree.set("machine_svg", Tree::quoted_scalar(svg.value_or("")));
  if (graph && !options.plot) tree.set("machine_dot", Tree::quoted_scalar(to_dot(*machine)));
  if (profile != nullptr) {
    const Tree measured = write_keys(*profile);
    tree.set("profile_hash", Tree::quoted_scalar(Hash().add(to_flow(measured)).text()));
    tree.set("profile", measured);
  }
  tree.set("fitted_constants", fitted_constants(file));
  tree.set("notes", notes(file, rows));
  tree.set("yaml", Tree::quoted_scalar(file.text));
  tree.set("resolved", write_keys(first.experiment));  // of the first point; the differences follow
  tree.set("points", swept_points(file));
  return to_json(tree, 2) + "\n";
}

}  // namespace paceline
