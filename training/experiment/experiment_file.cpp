// SPDX-License-Identifier: MIT
#include "training/experiment/experiment_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "experiments/language/override.hpp"
#include "experiments/language/yaml.hpp"
#include "models/load_network.hpp"
#include "training/experiment/described_gpus.hpp"
#include "training/experiment/lengths_of_point.hpp"
#include "training/experiment/point_checks.hpp"
#include "training/experiment/published_of_point.hpp"
#include "training/experiment/usual_aggregation.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"
#include "training/workload/precision.hpp"

namespace paceline {
namespace {

/// The keys that may name a document, and change it (`of`).
std::vector<std::string> references_of(const std::vector<KeyInfo>& keys) {
  std::vector<std::string> names;
  for (const KeyInfo& key : keys) {
    if (key.type.changes) names.push_back(key.name);
  }
  return names;
}

/// Loads the points one after another, and caches parts that several of them name.
class Loader {
 public:
  explicit Loader(const std::string& path) : published_(path, diagnostics_, referenced_errors_) {}
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  Loader(Loader&&) = delete;
  Loader& operator=(Loader&&) = delete;
  ~Loader() = default;

  ExperimentPoint load(const PointTree& source) {
    ExperimentPoint point;
    point.tree = source.tree;
    point.swept = source.swept;
    const std::size_t before = diagnostics_.count();
    read_keys(point.experiment, without_update_none(source.tree), diagnostics_);
    if (source.tree.find("model") == nullptr && source.tree.find("workload") == nullptr) {
      diagnostics_.error(source.tree.at, "missing key 'model'");
    }
    if (diagnostics_.count() != before) {
      load_parts(source.tree);
      return point;
    }
    Experiment& experiment = point.experiment;
    settle_batch(point);
    settle_workload(point);
    settle_durations(point);
    point.software = cached(software_, experiment.software, load_software);
    if (!is_this(experiment.machine)) {
      point.machine = cached(machines_, experiment.machine, load_machine);
    }
    settle_parts(point);
    published_.find(point);
    check(point, diagnostics_);
    check_layer_times(point);
    most_workers_ = std::max(most_workers_, experiment.workers);
    return point;
  }

  /// Loads jobs that share a machine: of each a point alone and one beside the others.
  void load_jobs(const std::vector<PointTree>& trees, std::vector<ExperimentPoint>& points) {
    std::vector<std::shared_ptr<const ExperimentPoint>> jobs;
    for (const PointTree& tree : trees) {
      jobs.push_back(std::make_shared<const ExperimentPoint>(load(tree)));
    }
    check_jobs(jobs, diagnostics_);
    for (const auto& job : jobs) {
      ExperimentPoint& alone = points.emplace_back(*job);
      alone.swept.push_back({kFabricKey, kAlone});
      ExperimentPoint& shared = points.emplace_back(*job);
      shared.swept.push_back({kFabricKey, kShared});
      for (const auto& other : jobs) {
        if (other != job) shared.beside.push_back(other);
      }
    }
  }

  /// Sweeps over aggregations write `update: none` for one that makes no updates of the model; its
  /// place in the experiment is then empty, as if the key were left out.
  static Tree without_update_none(Tree tree) {
    const Tree* update = tree.find("update");
    if (update == nullptr || !writes_no_update(*update)) return tree;
    std::erase_if(tree.members, [](const Member& member) { return member.key == "update"; });
    return tree;
  }

  void share_costs(std::vector<ExperimentPoint>& points) { published_.share_costs(points); }

  /// The checks that need all points together; throws all errors found.
  void finish(const std::vector<ExperimentPoint>& points) {
    for (const ExperimentPoint& point : points) {
      for (const auto& [worker, straggler] : point.experiment.stragglers.workers) {
        const bool known = most_workers_ > 0;  // not after an error in every point
        if (!known || (worker >= 0 && worker < most_workers_)) continue;
        const Tree* map = point.tree.find("stragglers")->find("workers");
        for (const Member& member : map->members) {
          if (member.key != std::to_string(worker)) continue;
          diagnostics_.error(member.key_at, "no point has a worker " + member.key + " (ids 0 to " +
                                                std::to_string(most_workers_ - 1) + ")");
        }
      }
    }
    std::vector<std::string> lines = diagnostics_.lines();
    for (const std::string& error : referenced_errors_) {
      std::istringstream each(error);  // one mistake may affect several parts
      for (std::string line; std::getline(each, line);) {
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
      }
    }
    if (!lines.empty()) throw SpecError(join(lines, "\n"));
  }

 private:
  /// Loads the parts that a point names, in case the point itself cannot be read: all errors come
  /// at once.
  void load_parts(const Tree& tree) {
    for (const Member& member : tree.members) {
      if (member.value.kind == Tree::Kind::null) continue;
      if (member.key == "model") cached(networks_, member.value, load_network);
      if (member.key == "software") cached(software_, member.value, load_software);
      if (member.key == "machine" && !is_this(member.value)) {
        cached(machines_, member.value, load_machine);
      }
    }
  }

  static bool is_this(const Tree& machine) { return machine.is_scalar() && machine.text == "this"; }

  template <class T, class Load>
  std::shared_ptr<const T> cached(PartCache<T>& cache, const Tree& tree, const Load& load) {
    return cache.get(tree, load, referenced_errors_);
  }

  /// A workload brings its own network and aggregation; else the point has a model.
  void settle_workload(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    if (!experiment.workload) {
      point.network = cached(networks_, experiment.model, load_network);
      return;
    }
    for (const char* key :
         {"model", "aggregation", "update", "optimizer", "train", "published", "batch",
          "global_batch", "precision", "layout", "deterministic", "input", "validation",
          "checkpoint", "layer_times", "samples_per_epoch", "stragglers", "lengths"}) {
      if (point.tree.find(key) == nullptr) continue;
      diagnostics_.error(point.place(key), "'" + std::string(key) +
                                               "' belongs to training, and the workload is '" +
                                               experiment.workload->kind() + "'");
    }
    published_.find_in_log(point);
    experiment.aggregation = (*experiment.workload)->aggregation();
    point.network = std::make_shared<const Network>((*experiment.workload)->network());
  }

  void settle_batch(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    if (!experiment.global_batch) return;
    const Location at = point.place("global_batch");
    if (point.tree.find("batch") != nullptr) {
      diagnostics_.error(at, "give 'batch' or 'global_batch', not both");
    } else if (*experiment.global_batch % experiment.workers != 0) {
      diagnostics_.error(at, "global_batch " + std::to_string(*experiment.global_batch) +
                                 " does not divide among " + std::to_string(experiment.workers) +
                                 " workers");
    } else if (*experiment.global_batch / experiment.workers > kMostBatch) {
      diagnostics_.error(at, "global_batch " + std::to_string(*experiment.global_batch) +
                                 " gives each worker more than " + std::to_string(kMostBatch) +
                                 " items");
    } else {
      experiment.batch = *experiment.global_batch / experiment.workers;
    }
  }

  void settle_durations(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    for (const auto& [key, length] :
         {std::pair{"steps", &experiment.steps}, std::pair{"warmup", &experiment.warmup}}) {
      if (length->epochs == 0) continue;
      if (!experiment.samples_per_epoch) {
        diagnostics_.error(point.place(key), "epochs need 'samples_per_epoch'");
        continue;
      }
      const double items = items_of_mini_batch(point) * experiment.workers;
      const double rounds =
          std::ceil(length->epochs * static_cast<double>(*experiment.samples_per_epoch) / items);
      if (rounds > 1e7) {
        diagnostics_.error(point.place(key), "more than 10 million rounds");
      } else {
        length->rounds = static_cast<std::int64_t>(rounds);
      }
    }
    if (experiment.samples_per_epoch && *experiment.samples_per_epoch < 1) {
      diagnostics_.error(point.place("samples_per_epoch"), "'samples_per_epoch' must be >= 1");
    }
  }

  /// The parts that are not written: the precision's usual layout, the software's usual
  /// aggregation, its usual update and optimizer, and the network's usual dataset.
  static void settle_parts(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    if (!experiment.workload && point.software) experiment.aggregation = usual_aggregation(point);
    if (point.tree.find("layout") == nullptr)
      experiment.layout = usual_layout(experiment.precision);
    if (!experiment.update) experiment.update = default_update(*experiment.aggregation);
    if (point.tree.find("optimizer") == nullptr && experiment.update) {
      const auto usual = (*experiment.update)->default_optimizer();
      if (usual) experiment.optimizer = Choice<Optimizer>(*usual);
    }
    if (point.network && experiment.train && point.tree.find("train")->find("dataset") == nullptr) {
      experiment.train->dataset = Choice<Dataset>(default_dataset(*point.network));
    }
  }

  void check_layer_times(const ExperimentPoint& point) {
    const Experiment& experiment = point.experiment;
    const GpuSpec* gpu = first_gpu(point);
    if (experiment.layer_times != LayerTimesRule::roofline) return;
    if (point.machine && gpu != nullptr) return;
    if (!point.machine && !is_this(experiment.machine)) return;  // reported with the machine
    diagnostics_.error(point.place("layer_times"),
                       "'layer_times: roofline' needs a machine with described GPUs, such as "
                       "dgx1-p100");
  }

  Diagnostics diagnostics_;
  std::vector<std::string> referenced_errors_;  ///< errors in the files that this file names
  int most_workers_ = 0;
  PartCache<Network> networks_;
  PartCache<Software> software_;
  PartCache<Machine> machines_;
  PublishedOfPoints published_;
};

/// The comment lines that open the file, without their `#`. The line that names the schema to
/// editors is left out.
std::string opening_comment(const std::string& text) {
  std::string comment;
  std::size_t begin = 0;
  while (begin < text.size() && text[begin] == '#') {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin + 1, end - begin - 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '#')) line.erase(0, 1);
    if (line.empty()) break;
    begin = end + 1;
    if (line.starts_with("yaml-language-server:")) continue;
    comment += (comment.empty() ? "" : " ") + line;
  }
  return comment;
}

/// Refuses a file of a machine or model with one error, instead of one for each of its keys.
void expect_experiment(const Tree& root, const std::string& path) {
  const auto has = [&](const char* key) { return root.find(key) != nullptr; };
  if (!root.is_map() || has("name") || has("model") || has("workload") || has("zip")) return;
  const bool machine =
      (has("gpus") && has("host")) || ((has("of") || has("nodes")) && has("network"));
  const char* kind = machine ? "machine" : has("blocks") ? "model" : nullptr;
  if (kind == nullptr) return;
  throw SpecError(root.at, "this is the file of a " + std::string(kind) +
                               ", not an experiment (an experiment names it: " + kind + ": " +
                               std::filesystem::path(path).filename().string() + ")");
}

}  // namespace

Location ExperimentPoint::place(const char* key) const {
  const Tree* value = tree.find(key);
  return value != nullptr ? value->at : tree.at;
}

std::string ExperimentPoint::update_name() const {
  return experiment.update ? experiment.update->kind() : std::string();
}

int ExperimentPoint::k() const {
  return experiment.update ? (*experiment.update)->rule(experiment.workers).gradients : 1;
}

ExperimentFile load_experiment_text(const std::string& path, const std::string& text,
                                    const std::vector<std::string>& overrides) {
  ExperimentFile file;
  file.path = path;
  file.text = text;
  file.question = opening_comment(text);
  Tree root = parse_yaml(path, text);
  apply_overrides(root, overrides, references_of(keys_of<Experiment>()));
  expect_experiment(root, path);
  Loader loader(path);
  const ListKeys lists(keys_of<Experiment>());
  if (has_jobs(root)) {
    for (const auto& jobs : expand_jobs(root, path, lists)) loader.load_jobs(jobs, file.points);
  } else {
    for (const PointTree& point : expand(root, lists)) file.points.push_back(loader.load(point));
  }
  loader.finish(file.points);
  loader.share_costs(file.points);
  for (const SweptKey& key : file.points.front().swept) file.swept.push_back(key.path);
  file.name = file.points.front().experiment.name;
  return file;
}

ExperimentFile load_experiment_file(const std::string& path,
                                    const std::vector<std::string>& overrides) {
  return load_experiment_text(path, read_text_file(path), overrides);
}

}  // namespace paceline
