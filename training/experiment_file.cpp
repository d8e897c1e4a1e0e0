// SPDX-License-Identifier: MIT
#include "training/experiment_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "experiments/override.hpp"
#include "experiments/yaml.hpp"
#include "models/load_network.hpp"
#include "training/arithmetic/arithmetic.hpp"
#include "training/cost/card_division.hpp"
#include "training/described_gpus.hpp"
#include "training/setting.hpp"

namespace paceline {
namespace {

/// Loads points one after another and keeps what several of them name.
class Loader {
 public:
  explicit Loader(const std::string& path) : path_(path) {}

  ExperimentPoint load(const PointTree& source) {
    ExperimentPoint point;
    point.tree = source.tree;
    point.swept = source.swept;
    const std::size_t before = diagnostics_.count();
    read_keys(point.experiment, source.tree, diagnostics_);
    if (diagnostics_.count() != before) {
      load_parts(source.tree);
      return point;
    }
    Experiment& experiment = point.experiment;
    check_name(point);
    settle_batch(point);
    settle_lengths(point);
    point.network = cached(networks_, experiment.model, load_network);
    point.software = cached(software_, experiment.software, load_software);
    if (!is_this(experiment.machine)) {
      point.machine = cached(machines_, experiment.machine, load_machine);
    }
    check_update(point);
    check_failures(point);
    check_rates(point);
    check_devices(point);
    check_processes(point);
    check_machine(point);
    check_precision(point);
    check_memory(point);
    check_training(point);
    find_published(point);
    find_layer_times(point);
    most_workers_ = std::max(most_workers_, experiment.workers);
    return point;
  }

  /// What only all points together can tell; throws everything found.
  void finish(const std::vector<ExperimentPoint>& points) {
    for (const ExperimentPoint& point : points) {
      for (const auto& [worker, straggler] : point.experiment.stragglers.workers) {
        if (worker >= 0 && worker < most_workers_) continue;
        const Tree* map = point.tree.find("stragglers")->find("workers");
        for (const Member& member : map->members) {
          if (member.key != std::to_string(worker)) continue;
          diagnostics_.error(member.key_at, "no point has a worker " + member.key + " (ids 0 to " +
                                                std::to_string(most_workers_ - 1) + ")");
        }
      }
    }
    std::vector<std::string> lines = diagnostics_.lines();
    for (const std::string& error : elsewhere_) {
      std::istringstream each(error);  // one mistake may stand in the way of several parts
      for (std::string line; std::getline(each, line);) {
        if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
      }
    }
    if (!lines.empty()) throw SpecError(join(lines, "\n"));
  }

 private:
  /// What a point names, where the point itself is not to be read: their errors come at once.
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

  void check_name(const ExperimentPoint& point) {
    const std::string& name = point.experiment.name;
    constexpr std::size_t kLongestName = 255;  // of a folder, on most file systems
    if (name.front() == '.' || name.find('/') != std::string::npos) {
      diagnostics_.error(
          place(point, "name"),
          "a name must not contain '/' or begin with '.' (it names the results folder)");
    } else if (name.size() > kLongestName) {
      diagnostics_.error(place(point, "name"), "a name has at most 255 bytes, this one " +
                                                   std::to_string(name.size()) +
                                                   " (results are kept in a folder of that name)");
    }
  }

  template <class T, class Load>
  std::shared_ptr<const T> cached(std::map<std::string, std::shared_ptr<const T>>& cache,
                                  const Tree& tree, const Load& load) {
    const std::string key = to_flow(tree);
    if (const auto found = cache.find(key); found != cache.end()) return found->second;
    std::shared_ptr<const T> loaded;
    try {
      loaded = std::make_shared<const T>(load(tree));
    } catch (const SpecError& error) {
      elsewhere_.emplace_back(error.what());
    }
    cache.emplace(key, loaded);
    return loaded;
  }

  /// Where a key of a point stands, or the whole point.
  static Location place(const ExperimentPoint& point, const char* key) {
    const Tree* value = point.tree.find(key);
    return value != nullptr ? value->at : point.tree.at;
  }

  void settle_batch(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    if (!experiment.global_batch) return;
    const Location at = place(point, "global_batch");
    if (point.tree.find("batch") != nullptr) {
      diagnostics_.error(at, "give 'batch' or 'global_batch', not both");
    } else if (*experiment.global_batch < 1 || *experiment.global_batch % experiment.workers != 0) {
      diagnostics_.error(at, "global_batch " + std::to_string(*experiment.global_batch) +
                                 " does not divide among " + std::to_string(experiment.workers) +
                                 " workers");
    } else {
      experiment.batch = *experiment.global_batch / experiment.workers;
    }
  }

  void settle_lengths(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    for (const auto& [key, length] :
         {std::pair{"steps", &experiment.steps}, std::pair{"warmup", &experiment.warmup}}) {
      if (length->epochs == 0) continue;
      if (!experiment.samples_per_epoch) {
        diagnostics_.error(place(point, key), "epochs need 'samples_per_epoch'");
        continue;
      }
      const double items = static_cast<double>(experiment.batch) * experiment.workers;
      const double rounds =
          std::ceil(length->epochs * static_cast<double>(*experiment.samples_per_epoch) / items);
      if (rounds > 1e7) {
        diagnostics_.error(place(point, key), "more than 10 million rounds");
      } else {
        length->rounds = static_cast<std::int64_t>(rounds);
      }
    }
    if (experiment.samples_per_epoch && *experiment.samples_per_epoch < 1) {
      diagnostics_.error(place(point, "samples_per_epoch"), "'samples_per_epoch' must be >= 1");
    }
  }

  void check_update(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    const std::vector<std::string>& served = updates_served(experiment.aggregation.kind());
    if (!experiment.update) {
      if (!served.empty()) experiment.update = Choice<UpdatePolicy>(served.front());
      return;
    }
    const std::string kind = experiment.update->kind();
    const Location at = place(point, "update");
    if (std::find(served.begin(), served.end(), kind) == served.end()) {
      diagnostics_.error(at, "aggregation '" + experiment.aggregation.kind() +
                                 "' does not support update '" + kind + "' (" +
                                 (served.empty() ? "it supports none: leave 'update' out"
                                                 : "supported: " + join(served)) +
                                 ")");
    }
    const int k = (*experiment.update)->rule(experiment.workers).gradients;
    if (k > experiment.workers) {
      const Tree* key = point.tree.find("update")->find("k");
      diagnostics_.error(
          key != nullptr ? key->at : at,
          "k " + std::to_string(k) + " is above workers " + std::to_string(experiment.workers));
    }
  }

  void check_failures(const ExperimentPoint& point) {
    const Experiment& experiment = point.experiment;
    const auto& failures = experiment.stragglers.failures;
    if (!failures) return;
    if (failures->restart && *failures->restart > kLongestDelay) {
      const Tree* written = point.tree.find("stragglers")->find("failures")->find("restart");
      diagnostics_.error(written->at,
                         "'restart' must be <= " + to_flow(Value<Seconds>::write(kLongestDelay)) +
                             ", the longest delay that the clock counts");
    }
    const std::string kind = experiment.aggregation.kind();
    if (kind == "parameter-server") return;
    diagnostics_.error(
        point.tree.find("stragglers")->find("failures")->at,
        "aggregation '" + kind + "' does not support stragglers.failures (use parameter-server)");
  }

  void check_rates(ExperimentPoint& point) {
    Experiment& experiment = point.experiment;
    const bool downpour = point.update_name() == "downpour";
    const Tree* optimizer = point.tree.find("optimizer");
    if (optimizer == nullptr) {
      if (downpour) experiment.optimizer = Choice<Optimizer>("adagrad");  // as Dean et al. have it
      return;
    }
    const auto error = [&](const char* key, const std::string& problem) {
      const Tree* at = optimizer->find(key);
      diagnostics_.error((at != nullptr ? at : optimizer)->at, problem);
    };
    if (experiment.optimizer->schedule->needs_epochs() && !experiment.samples_per_epoch) {
      error("schedule", "epochs need 'samples_per_epoch'");
    }
    if (downpour && experiment.optimizer->staleness->needs_distance()) {
      error("staleness",
            "'distance' needs gradients of the weights last fetched (any update but downpour)");
    }
  }

  void check_devices(const ExperimentPoint& point) {
    const Experiment& experiment = point.experiment;
    const auto& devices = experiment.devices;
    if (!devices) return;
    const Location at = point.tree.find("devices")->at;
    if (experiment.workers > devices->virtual_gpus) {
      diagnostics_.error(place(point, "workers"),
                         "workers " + std::to_string(experiment.workers) + " are more than the " +
                             std::to_string(devices->virtual_gpus) + " virtual GPUs");
    }
    if (point.machine && point.machine->kind() == Machine::Kind::described &&
        devices->gpu >= point.machine->gpu_count()) {
      const Tree* key = point.tree.find("devices")->find("gpu");
      diagnostics_.error(key != nullptr ? key->at : at,
                         "machine '" + point.machine->name() + "' has no GPU " +
                             std::to_string(devices->gpu) + " (0 to " +
                             std::to_string(point.machine->gpu_count() - 1) + ")");
    } else if (point.machine && point.machine->kind() == Machine::Kind::described) {
      const std::string why = indivisible(*devices, point.machine->gpu(devices->gpu));
      if (!why.empty()) diagnostics_.error(at, why);
    }
    const AllReduce* all_reduce = experiment.aggregation->all_reduce();
    if (all_reduce != nullptr && all_reduce->native() && experiment.workers > 1) {
      diagnostics_.error(
          place(point, "aggregation"),
          "all-reduce algorithm 'nccl' needs a GPU of its own for every worker (with "
          "'devices': ring)");
    }
  }

  void check_processes(const ExperimentPoint& point) {
    const Experiment& experiment = point.experiment;
    if (!experiment.processes) return;
    const Tree& processes = *point.tree.find("processes");
    const Tree* count = processes.find("count");
    const Location at = count != nullptr ? count->at : processes.at;
    if (experiment.processes->count > experiment.workers) {
      diagnostics_.error(at, "count " + std::to_string(experiment.processes->count) +
                                 " is above workers " + std::to_string(experiment.workers) +
                                 " (every process runs at least one worker)");
    }
    if (experiment.processes->count == 1) return;
    if (point.machine || experiment.devices) {
      diagnostics_.error(at, "several processes need machine: this without 'devices'");
    }
  }

  void check_machine(const ExperimentPoint& point) {
    if (!point.machine || !point.machine->worker_limit()) return;
    if (point.experiment.devices) return;  // virtual GPUs count
    const int limit = *point.machine->worker_limit();
    if (point.experiment.workers <= limit) return;
    diagnostics_.error(
        place(point, "workers"),
        "machine '" + point.machine->name() + "' has " + std::to_string(limit) +
            (limit == 1 ? " GPU" : " GPUs") + " for " + std::to_string(point.experiment.workers) +
            " workers (a machine file may have more: 'gpus: [{model: ..., count: " +
            std::to_string(point.experiment.workers) + "}]'; 'devices' lets workers share one)");
  }

  void check_precision(const ExperimentPoint& point) {
    const std::string why = lacking_precision(point);
    if (!why.empty()) diagnostics_.error(place(point, "precision"), why);
  }

  void check_memory(const ExperimentPoint& point) {
    if (!point.network || !point.machine || point.machine->kind() != Machine::Kind::described)
      return;
    if (point.experiment.batch < 1) return;  // said already
    const auto& devices = point.experiment.devices;
    if (devices && devices->gpu >= point.machine->gpu_count()) return;  // said already
    if (point.machine->gpu_count() == 0) return;
    const Bytes need = memory_of(point) * (devices ? point.experiment.workers : 1);
    const GpuSpec& gpu = smallest_gpu(point);
    if (need <= gpu.memory) return;
    const bool global = point.tree.find("global_batch") != nullptr;
    const auto gigabytes = [](Bytes size) {
      return print_number(std::round(size.value() / 1e8) / 10) + " GB";
    };
    diagnostics_.error(place(point, global ? "global_batch" : "batch"),
                       "batch " + std::to_string(point.experiment.batch) + " of '" +
                           point.network->name + "' needs " + gigabytes(need) +
                           (devices ? " for all workers" : "") + " (" + gpu.name + " has " +
                           gigabytes(gpu.memory) + ")");
  }

  void check_training(ExperimentPoint& point) {
    auto& train = point.experiment.train;
    if (point.update_name() == "adasync" && !train) {
      diagnostics_.error(place(point, "update"), "adasync follows the loss: it needs 'train'");
    }
    if (!point.network || !train) return;
    if (point.tree.find("train")->find("dataset") == nullptr) {
      train->dataset = Choice<Dataset>(default_dataset(*point.network));
    }
    if (const std::string why = untrainable(*point.network, point.experiment.batch); !why.empty()) {
      diagnostics_.error(place(point, "train"), "no real gradients of '" + point.network->name +
                                                    "' on the CPU (" + why + ")");
    } else if (const std::string unfit = train->dataset->unfit(*point.network); !unfit.empty()) {
      diagnostics_.error(place(point, "train"), "dataset '" + train->dataset.kind() +
                                                    "' does not fit '" + point.network->name +
                                                    "': " + unfit);
    } else if (train->target_accuracy && point.network->layers.back().kind != LayerKind::softmax) {
      diagnostics_.error(point.tree.find("train")->find("target_accuracy")->at,
                         "'" + point.network->name +
                             "' is not a classifier, so it has no accuracy (use target_loss)");
    }
  }

  void find_published(ExperimentPoint& point) {
    const auto& published = point.experiment.published;
    if (!published) return;
    const Tree* key = point.tree.find("published")->find("table");
    std::filesystem::path table(published->table);
    if (table.is_relative()) table = std::filesystem::path(path_).parent_path() / table;
    if (!std::filesystem::is_regular_file(table) || !std::ifstream(table)) {
      diagnostics_.error(key->at, "cannot open table '" + table.string() + "'");
      return;
    }
    const auto rows = cached(tables_, Tree::scalar(table.string()),
                             [&](const Tree& name) { return PublishedTable::load(name.text); });
    if (!rows) return;
    const Tree keys = keys_with_defaults(point);
    const GpuSpec* gpu = first_gpu(point);
    point.published = rows->find(keys, gpu);
    if (!published->calibrate) return;
    if (point.experiment.layer_times == LayerTimesRule::roofline) {
      if (point.tree.find("published")->find("calibrate") == nullptr) return;
      diagnostics_.error(place(point, "layer_times"),
                         "'layer_times: roofline' and 'published: calibrate' exclude each other");
      return;
    }
    if (const auto base = rows->find_base(keys, gpu)) {
      point.one_worker = own_one_worker(*base, table.filename().string(), point.experiment.batch);
    }
  }

  void find_layer_times(ExperimentPoint& point) {
    const Experiment& experiment = point.experiment;
    const GpuSpec* gpu = first_gpu(point);
    if (experiment.layer_times == LayerTimesRule::roofline) {
      if (point.machine && gpu != nullptr) return;
      if (!point.machine && !is_this(experiment.machine)) return;  // it has errors of its own
      diagnostics_.error(place(point, "layer_times"),
                         "'layer_times: roofline' needs a machine with described GPUs, such as "
                         "dgx1-p100");
      return;
    }
    if (!point.one_worker && point.network) point.one_worker = shipped_row_of(point);
  }

  std::string path_;
  Diagnostics diagnostics_;
  std::vector<std::string> elsewhere_;  ///< errors in the files that this one names
  int most_workers_ = 0;
  std::map<std::string, std::shared_ptr<const Network>> networks_;
  std::map<std::string, std::shared_ptr<const Software>> software_;
  std::map<std::string, std::shared_ptr<const Machine>> machines_;
  std::map<std::string, std::shared_ptr<const PublishedTable>> tables_;
};

/// The comment lines that open the file, without their `#`.
std::string opening_comment(const std::string& text) {
  std::string comment;
  std::size_t begin = 0;
  while (begin < text.size() && text[begin] == '#') {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin + 1, end - begin - 1);
    while (!line.empty() && (line.front() == ' ' || line.front() == '#')) line.erase(0, 1);
    if (line.empty()) break;
    comment += (comment.empty() ? "" : " ") + line;
    begin = end + 1;
  }
  return comment;
}

}  // namespace

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
  apply_overrides(root, overrides);
  Loader loader(path);
  for (const PointTree& point : expand(root, ListKeys(keys_of<Experiment>()))) {
    file.points.push_back(loader.load(point));
  }
  loader.finish(file.points);
  for (const SweptKey& key : file.points.front().swept) file.swept.push_back(key.path);
  file.name = file.points.front().experiment.name;
  return file;
}

ExperimentFile load_experiment_file(const std::string& path,
                                    const std::vector<std::string>& overrides) {
  return load_experiment_text(path, read_text_file(path), overrides);
}

}  // namespace paceline
