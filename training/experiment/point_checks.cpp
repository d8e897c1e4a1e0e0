// SPDX-License-Identifier: MIT
#include "training/experiment/point_checks.hpp"

#include <algorithm>

#include "training/experiment/described_gpus.hpp"
#include "training/experiment/deterministic_check.hpp"
#include "training/experiment/draws_check.hpp"
#include "training/experiment/input_checks.hpp"
#include "training/experiment/length_checks.hpp"
#include "training/experiment/memory_check.hpp"
#include "training/experiment/setting.hpp"
#include "training/learning/arithmetic/arithmetic.hpp"

namespace paceline {
namespace {

class PointChecks final {
 public:
  PointChecks(const ExperimentPoint& point, Diagnostics& diagnostics)
      : point_(point), experiment_(point.experiment), diagnostics_(diagnostics) {}
  void all() const;

 private:
  void check_name() const;
  void check_update() const;
  void check_variables() const;
  void check_all_reduce() const;
  void check_failures() const;
  void check_communication() const;
  void check_rates() const;
  void check_devices() const;
  void check_processes() const;
  void check_machine() const;
  void check_precision() const;
  void check_cost_row() const;
  void check_training() const;
  void check_expectations() const;
  void error(const Location& at, const std::string& message) const {
    diagnostics_.error(at, message);
  }
  /// The location of a key of a part that is written; of the part if the key is not.
  Location place(const char* part, const char* key) const {
    const Tree* written = point_.tree.find(part);
    const Tree* value = written->find(key);
    return (value != nullptr ? value : written)->at;
  }

  const ExperimentPoint& point_;
  const Experiment& experiment_;
  Diagnostics& diagnostics_;
};

void PointChecks::check_name() const {
  const std::string& name = experiment_.name;
  constexpr std::size_t kLongestName = 255;  // of a folder name, on most file systems
  if (name.front() == '.' || name.find('/') != std::string::npos) {
    error(point_.place("name"),
          "a name must not contain '/' or begin with '.' (it names the results folder)");
  } else if (name.size() > kLongestName) {
    error(point_.place("name"), "a name has at most 255 bytes, this one " +
                                    std::to_string(name.size()) +
                                    " (results are kept in a folder of that name)");
  }
}

void PointChecks::check_update() const {
  const Tree* written = point_.tree.find("update");
  if (!experiment_.update || written == nullptr) return;
  if (writes_no_update(*written)) {
    error(written->at, "update 'none' is for an aggregation that exchanges nothing ('" +
                           experiment_.aggregation.kind() +
                           "' supports: " + join(updates_served(*experiment_.aggregation)) + ")");
    return;
  }
  const bool several = (*experiment_.update)->rule(1).accumulate > 1;
  if (several && experiment_.aggregation->scatters()) {
    error(point_.place("update"),
          "aggregation '" + experiment_.aggregation.kind() +
              "' scatters one mini-batch an update (leave 'accumulate' out)");
  } else if (!experiment_.aggregation->serves(**experiment_.update)) {
    const std::vector<std::string> served = updates_served(*experiment_.aggregation);
    error(point_.place("update"),
          "aggregation '" + experiment_.aggregation.kind() + "' does not support update '" +
              experiment_.update->kind() + "' (" +
              (served.empty() ? "it supports none: leave 'update' out, or give none"
                              : "supported: " + join(served)) +
              ")");
  }
  const int k = (*experiment_.update)->rule(experiment_.workers).gradients;
  if (k > experiment_.workers) {
    error(place("update", "k"),
          "k " + std::to_string(k) + " is above workers " + std::to_string(experiment_.workers));
  }
}

void PointChecks::check_variables() const {
  if (!point_.network) return;
  const std::string unknown =
      unknown_variable(*point_.network, experiment_.aggregation->variables());
  if (unknown.empty()) return;
  error(place("aggregation", "variables"), "'variables' names '" + unknown +
                                               "', and no layer of '" + point_.network->name +
                                               "' with parameters has that name or kind");
}

void PointChecks::check_all_reduce() const {
  const auto is_table = [](const Layer& layer) { return layer.kind == LayerKind::embedding; };
  if (experiment_.aggregation->sparse() && point_.network &&
      std::ranges::none_of(point_.network->layers, is_table)) {
    error(place("aggregation", "sparse"), "'sparse' is for networks with an embedding, and '" +
                                              point_.network->name + "' has none");
  }
  const auto is_tied = [](const Layer& layer) { return layer.tied > 0; };
  if (experiment_.aggregation->sparse() && point_.network &&
      std::ranges::any_of(point_.network->layers, is_tied)) {
    error(place("aggregation", "sparse"),
          "the output layer of '" + point_.network->name +
              "' shares the embedding's table, so that its gradient has all rows (leave 'sparse' "
              "out)");
  }
  const AllReduce* all_reduce = experiment_.aggregation->all_reduce();
  if (all_reduce == nullptr) return;
  Plan plan;
  plan.workers = experiment_.workers;
  plan.computers = computers_of_workers(point_);
  const int processes = experiment_.process_count();
  if (processes <= plan.workers) {
    plan.processes = processes_of_roles(processes, plan.workers, 0, false);
  }
  const std::string why = all_reduce->problem(plan);
  if (!why.empty()) error(point_.place("aggregation"), why);
}

void PointChecks::check_failures() const {
  const auto& failures = experiment_.stragglers.failures;
  if (!failures) return;
  if (failures->restart && *failures->restart > kLongestDelay) {
    const Tree* written = point_.tree.find("stragglers")->find("failures")->find("restart");
    error(written->at, "'restart' must be <= " + to_flow(Value<Seconds>::write(kLongestDelay)) +
                           ", the longest delay that the clock counts");
  }
  if (experiment_.aggregation->survives_deaths()) return;
  const std::vector<std::string> others = family<Aggregation>().names_where(
      [](const Aggregation& aggregation) { return aggregation.survives_deaths(); });
  error(point_.tree.find("stragglers")->find("failures")->at,
        "aggregation '" + experiment_.aggregation.kind() +
            "' does not support stragglers.failures (use " + join(others) + ")");
}

void PointChecks::check_communication() const {
  const Choice<Straggler>& late = experiment_.stragglers.communication;
  if (!late) return;
  const Location at = point_.tree.find("stragglers")->find("communication")->at;
  if (experiment_.workload || !experiment_.aggregation->exchanges()) {
    error(at, "'communication' has no effect: " +
                  (experiment_.workload
                       ? "a workload's ranks are never late"
                       : "aggregation '" + experiment_.aggregation.kind() + "' exchanges nothing"));
  }
  if (late->applies == Applies::total) {
    error(at, "'applies: total' is for stragglers.compute only: a link has no arithmetic");
  }
  if (late->phase != Phase::forward) {
    error(at, "'phase' is for stragglers.compute and a worker's delay: a link has no passes");
  }
}

void PointChecks::check_rates() const {
  if (point_.tree.find("optimizer") == nullptr) return;
  if (experiment_.optimizer->schedule->needs_epochs() && !experiment_.samples_per_epoch) {
    error(place("optimizer", "schedule"), "epochs need 'samples_per_epoch'");
  }
  const UpdatePolicy* update = experiment_.update ? experiment_.update->part().get() : nullptr;
  const Choice<StalenessRule>& staleness = experiment_.optimizer->staleness;
  if (update != nullptr && staleness->needs_distance() && !update->computes_on_last_fetch()) {
    const std::vector<std::string> others = family<UpdatePolicy>().names_where(
        [](const UpdatePolicy& policy) { return !policy.computes_on_last_fetch(); });
    error(place("optimizer", "staleness"),
          "'" + staleness.kind() +
              "' needs gradients of the weights last fetched (any update but " + join(others) +
              ")");
  }
}

void PointChecks::check_devices() const {
  const auto& devices = experiment_.devices;
  if (!devices) return;
  if (experiment_.workers > devices->virtual_gpus) {
    error(point_.place("workers"), "workers " + std::to_string(experiment_.workers) +
                                       " are more than the " +
                                       std::to_string(devices->virtual_gpus) + " virtual GPUs");
  }
  if (point_.machine && point_.machine->kind() == Machine::Kind::described) {
    const int gpus = point_.machine->gpu_count();
    if (devices->gpu >= gpus) {
      error(place("devices", "gpu"), "machine '" + point_.machine->name() + "' has no GPU " +
                                         std::to_string(devices->gpu) + " (0 to " +
                                         std::to_string(gpus - 1) + ")");
    } else if (const std::string why = indivisible(*devices, point_.machine->gpu(devices->gpu));
               !why.empty()) {
      error(point_.place("devices"), why);
    }
  }
  const AllReduce* all_reduce = experiment_.aggregation->all_reduce();
  if (all_reduce != nullptr && all_reduce->native() && experiment_.workers > 1) {
    error(point_.place("aggregation"),
          "all-reduce algorithm 'nccl' needs a GPU of its own for every worker (with "
          "'devices': ring)");
  }
}

void PointChecks::check_processes() const {
  if (!experiment_.processes) return;
  const Location at = place("processes", "count");
  if (experiment_.processes->count > experiment_.workers) {
    error(at, "count " + std::to_string(experiment_.processes->count) + " is above workers " +
                  std::to_string(experiment_.workers) +
                  " (every process runs at least one worker)");
  }
  if (experiment_.processes->count == 1) return;
  if (point_.machine || experiment_.devices) {
    error(at, "several processes need machine: this without 'devices'");
  }
}

void PointChecks::check_machine() const {
  const WorkerGpus& gpus = experiment_.gpus;
  if (gpus.order != WorkerGpus::Order::in_order && experiment_.devices) {
    error(gpus.at, "'gpus' gives each worker a GPU, and 'devices' all of them one");
  } else if (gpus.order == WorkerGpus::Order::listed &&
             static_cast<int>(gpus.list.size()) < experiment_.workers) {
    error(gpus.at, "'gpus' lists " + std::to_string(gpus.list.size()) + " GPUs for " +
                       std::to_string(experiment_.workers) + " workers");
  }
  if (!point_.machine || !point_.machine->worker_limit()) return;
  for (const int gpu : gpus.list) {
    if (point_.machine->gpu_count() == 0 || gpu < point_.machine->gpu_count()) continue;
    error(gpus.at, "machine '" + point_.machine->name() + "' has no GPU " + std::to_string(gpu) +
                       " (0 to " + std::to_string(point_.machine->gpu_count() - 1) + ")");
    return;
  }
  if (experiment_.devices) return;  // virtual GPUs count instead
  const int limit = *point_.machine->worker_limit();
  if (experiment_.workers <= limit) return;
  error(
      point_.place("workers"),
      "machine '" + point_.machine->name() + "' has " + std::to_string(limit) +
          (limit == 1 ? " GPU" : " GPUs") + " for " + std::to_string(experiment_.workers) +
          " workers ('machine: {of: ..., count: ..., network: ...}' joins several; 'devices' lets "
          "workers share a GPU)");
}

void PointChecks::check_precision() const {
  const std::string why = lacking_precision(point_);
  if (!why.empty()) error(point_.place("precision"), why);
}

void PointChecks::check_cost_row() const {
  if (!point_.own_row || !point_.machine) return;
  const int gpus = point_.machine->gpu_count();
  if (point_.own_row->workers <= std::max(1, gpus)) return;
  error(place("published", "table"),
        "the row of the fewest workers has " + std::to_string(point_.own_row->workers) +
            ", and machine '" + point_.machine->name() + "' " + std::to_string(gpus) +
            " GPUs (add a row of fewer workers)");
}

void PointChecks::check_training() const {
  const auto& train = experiment_.train;
  const auto& update = experiment_.update;
  if (update && (*update)->needs_loss() && !train) {
    error(point_.place("update"), update->kind() + " follows the loss: it needs 'train'");
  }
  if (!point_.network || !train) return;
  if (const std::string why = untrainable(*point_.network, experiment_.batch); !why.empty()) {
    error(point_.place("train"),
          "no real gradients of '" + point_.network->name + "' on the CPU (" + why + ")");
  } else if (const std::string unfit = train->dataset->unfit(*point_.network); !unfit.empty()) {
    error(point_.place("train"), "dataset '" + train->dataset.kind() + "' does not fit '" +
                                     point_.network->name + "': " + unfit);
  } else if (train->target_accuracy && point_.network->layers.back().kind != LayerKind::softmax) {
    error(point_.tree.find("train")->find("target_accuracy")->at,
          "'" + point_.network->name +
              "' is not a classifier, so it has no accuracy (use target_loss)");
  }
}

void PointChecks::check_expectations() const {
  if (!point_.network) return;
  for (const Expectation& expectation : experiment_.expect.all) {
    const std::string why = unfit_unit(expectation, *point_.network);
    if (!why.empty()) error(expectation.at, why);
  }
}

void PointChecks::all() const {
  check_name();
  check_update();
  check_variables();
  check_all_reduce();
  check_failures();
  check_communication();
  check_items(point_, diagnostics_);
  check_rates();
  check_devices();
  check_processes();
  check_machine();
  check_precision();
  check_deterministic(point_, diagnostics_);
  check_draws(point_, diagnostics_);
  check_cost_row();
  check_memory(point_, diagnostics_);
  check_training();
  check_expectations();
  check_lengths(point_, diagnostics_);
}

}  // namespace

void check(const ExperimentPoint& point, Diagnostics& diagnostics) {
  PointChecks(point, diagnostics).all();
}

}  // namespace paceline
