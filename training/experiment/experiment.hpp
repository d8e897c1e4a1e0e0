// SPDX-License-Identifier: MIT
/// \file
/// An experiment, assembled from the keys that each folder describes: what to train, on which
/// machine, and how the workers synchronise. One object per point of the sweep.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/family.hpp"
#include "experiments/language/sweep.hpp"
#include "models/network_kind.hpp"
#include "topology/gpu.hpp"
#include "topology/machine_spec.hpp"
#include "training/experiment/expectation.hpp"
#include "training/experiment/jobs.hpp"
#include "training/experiment/layer_times_rule.hpp"
#include "training/experiment/software/software.hpp"
#include "training/learning/datasets/dataset.hpp"
#include "training/learning/optimizers/optimizer.hpp"
#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/policies/update_policy.hpp"
#include "training/strategies/workloads/workload_kind.hpp"
#include "training/workload/checkpoint.hpp"
#include "training/workload/devices.hpp"
#include "training/workload/draws.hpp"
#include "training/workload/input/input_source.hpp"
#include "training/workload/lengths/lengths.hpp"
#include "training/workload/processes.hpp"
#include "training/workload/stragglers/stragglers.hpp"
#include "training/workload/tensor_layout.hpp"
#include "training/workload/training_length.hpp"
#include "training/workload/validation.hpp"
#include "training/workload/worker_gpus.hpp"

namespace paceline {

/// A part that is named (a preset, a path) or described in place. It is kept as written, for the
/// code that reads the part.
template <class Part>
struct Reference {
  Tree tree;
  operator const Tree&() const { return tree; }  // NOLINT(google-explicit-constructor): it is one
};
template <class Part>
struct Value<Reference<Part>> {
  static TypeInfo type() {
    TypeInfo info = Value<Part>::type();
    info.also = "the name of a preset, or a path";
    info.changes = true;
    return info;
  }
  static bool read(Reference<Part>& out, const Tree& tree, Diagnostics&) {
    out.tree = tree;
    return true;
  }
  static Tree write(const Reference<Part>& value) { return value.tree; }
};

/// Real training: the data to learn, the frequency of evaluations, and the target.
struct Train {
  Choice<Dataset> dataset{"gaussian-mixture"};
  std::optional<std::int64_t> evaluate;  ///< updates between evaluations; absent: about 50 per run
  int held_out = 1024;                   ///< items of an evaluation
  std::optional<double> target_loss;     ///< of the held-out items
  std::optional<Percent> target_accuracy;  ///< of the held-out items
  std::optional<double> loss_bound;        ///< absent: 10 x the first held-out loss
  static void describe(Description<Train>& d);
};

/// The rows of a published table to which constants of Paceline were fitted, by their order among
/// the file's points.
enum class FittedRows {
  none,
  odd,  ///< the first, the third, ...
  all,
};
std::span<const EnumName<FittedRows>> enum_names(const FittedRows*);

/// A published table of measurements, drawn beside the predictions.
struct Published {
  std::string table;      ///< CSV; its path is relative to the experiment file
  bool calibrate = true;  ///< one worker's published throughput sets its arithmetic's cost
  std::string stages;     ///< CSV of a profile of steps, relative to the file; "" for none
  FittedRows fitted = FittedRows::none;
  std::map<std::string, std::string> constants;  ///< of the file: how each was fitted, by key
  static void describe(Description<Published>& d);
};

constexpr int kMostBatch = 1'000'000;  ///< items of a worker's mini-batch

struct Experiment {
  std::string name;
  Reference<Choice<NetworkKind>> model;          ///< none with a workload
  std::optional<Choice<WorkloadKind>> workload;  ///< absent: training
  std::optional<std::vector<Job>> jobs;          ///< absent at every point: a point is one job
  Reference<MachineSpec> machine{Tree::scalar("this")};
  Reference<Software> software{Tree::scalar("native")};
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  bool deterministic = false;  ///< executions repeat to the bit
  int batch = 32;
  std::optional<int> global_batch;
  int workers = 1;
  std::optional<Choice<UpdatePolicy>> update;
  Choice<Aggregation> aggregation{"parameter-server"};
  Stragglers stragglers;
  Draws draws = Draws::exact;
  WorkerGpus gpus;
  std::optional<Devices> devices;      ///< absent: each worker has its own GPU
  std::optional<Processes> processes;  ///< absent: one process
  Choice<InputSource> input{"synthetic"};
  std::optional<Lengths> lengths;        ///< absent: all sequences have the network's length
  std::optional<Validation> validation;  ///< absent: no worker validates
  std::optional<Checkpoint> checkpoint;  ///< absent: none are written
  Choice<Optimizer> optimizer{"sgd"};
  std::optional<Train> train;
  std::optional<Published> published;
  LayerTimesRule layer_times = LayerTimesRule::automatic;
  std::optional<std::int64_t> samples_per_epoch;
  Length steps{100, 0};
  Length warmup{10, 0};
  int repeats = 1;
  std::uint64_t seed = 1;
  Expectations expect;

  int process_count() const { return processes ? processes->count : 1; }

  static void describe(Description<Experiment>& d);

 private:
  static void describe_run(Description<Experiment>& d);
};

/// Whether `update` is written as `none`, for aggregations that exchange nothing.
inline bool writes_no_update(const Tree& update) {
  return update.is_scalar() && update.text == "none";
}

}  // namespace paceline
