// SPDX-License-Identifier: MIT
/// \file
/// An experiment, assembled from what each folder describes: what to train, on which machine, and
/// how the workers wait for each other. One object a point of the sweep.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "experiments/family.hpp"
#include "experiments/sweep.hpp"
#include "models/network_kind.hpp"
#include "topology/gpu.hpp"
#include "topology/machine_spec.hpp"
#include "training/aggregations/aggregation.hpp"
#include "training/arithmetic/dataset.hpp"
#include "training/arithmetic/optimizer.hpp"
#include "training/cost/layer_times.hpp"
#include "training/devices.hpp"
#include "training/input/input_source.hpp"
#include "training/layout.hpp"
#include "training/length.hpp"
#include "training/policies/update_policy.hpp"
#include "training/processes.hpp"
#include "training/software/software.hpp"
#include "training/stragglers/stragglers.hpp"

namespace paceline {

/// A part that is named (a preset, a path) or described in place; kept as written for its own
/// reader.
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
    return info;
  }
  static bool read(Reference<Part>& out, const Tree& tree, Diagnostics&) {
    out.tree = tree;
    return true;
  }
  static Tree write(const Reference<Part>& value) { return value.tree; }
};

/// Real gradients: what the network learns, how often it is evaluated, and when that is enough.
struct Train {
  Choice<Dataset> dataset{"gaussian-mixture"};
  std::optional<std::int64_t> evaluate;    ///< updates between evaluations; absent: about 50 a run
  int held_out = 1024;                     ///< items of an evaluation
  std::optional<double> target_loss;       ///< of the held-out items
  std::optional<Percent> target_accuracy;  ///< of the held-out items
  std::optional<double> loss_bound;        ///< absent: 10 x the first held-out loss
  static void describe(Description<Train>& d);
};

/// A table of measurements that others published, to draw beside the predictions.
struct Published {
  std::string table;      ///< CSV; its path is relative to the experiment file
  bool calibrate = true;  ///< one worker's published throughput sets the cost of its arithmetic
  static void describe(Description<Published>& d);
};

struct Experiment {
  std::string name;
  Reference<Choice<NetworkKind>> model;
  Reference<MachineSpec> machine{Tree::scalar("this")};
  Reference<Software> software{Tree::scalar("native")};
  Precision precision = Precision::fp32;
  Layout layout = Layout::nchw;
  int batch = 32;
  std::optional<int> global_batch;
  int workers = 1;
  std::optional<Choice<UpdatePolicy>> update;
  Choice<Aggregation> aggregation{"parameter-server"};
  Stragglers stragglers;
  std::optional<Devices> devices;      ///< absent: each worker has a GPU of its own
  std::optional<Processes> processes;  ///< absent: one
  Choice<InputSource> input{"synthetic"};
  Choice<Optimizer> optimizer{"sgd"};
  std::optional<Train> train;
  std::optional<Published> published;
  LayerTimesRule layer_times = LayerTimesRule::automatic;
  std::optional<std::int64_t> samples_per_epoch;
  Length steps{100, 0};
  Length warmup{10, 0};
  int repeats = 1;
  std::uint64_t seed = 1;

  int process_count() const { return processes ? processes->count : 1; }

  static void describe(Description<Experiment>& d);
};

}  // namespace paceline
