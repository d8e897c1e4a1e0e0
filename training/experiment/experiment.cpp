// SPDX-License-Identifier: MIT
#include "training/experiment/experiment.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<Layout>> enum_names(const Layout*) {
  static constexpr std::array<EnumName<Layout>, 2> kNames{
      {{"NCHW", Layout::nchw}, {"NHWC", Layout::nhwc}}};
  return kNames;
}

void Train::describe(Description<Train>& d) {
  d.optional("dataset", &Train::dataset,
             "the data set; default for a network that reads tokens: token-mixture");
  d.optional("evaluate", &Train::evaluate,
             "updates from one evaluation to the next (default: about 50 evaluations a run)")
      .at_least(1);
  d.optional("held_out", &Train::held_out,
             "held-out items per evaluation; no worker trains on them")
      .at_least(1)
      .at_most(1'000'000);
  d.optional("target_loss", &Train::target_loss, "report the time to this held-out loss")
      .above(0.0);
  d.optional("target_accuracy", &Train::target_accuracy,
             "report the time to this held-out accuracy")
      .above(Percent{0})
      .at_most(Percent{1});
  d.optional("loss_bound", &Train::loss_bound,
             "a mini-batch's loss above this ends the point as diverged (default: 10 x the first "
             "held-out loss)")
      .above(0.0);
}

void Published::describe(Description<Published>& d) {
  d.required("table", &Published::table, "CSV of measurements; its path is relative to this file");
  d.optional(
      "calibrate", &Published::calibrate,
      "the published throughput of one worker, or of the fewest, sets the cost of arithmetic");
  d.optional(
      "stages", &Published::stages,
      "CSV of profiled steps, with columns such as `stage.update` in ms; `validate` compares "
      "the stages' shares");
  d.optional(
      "fitted", &Published::fitted,
      "the rows that constants were fitted on: none, odd (the first, the third, ...) or all; "
      "`validate` counts them apart");
  d.optional("constants", &Published::constants,
             "fitted figures of this file: how each was fitted, by key");
}

std::span<const EnumName<FittedRows>> enum_names(const FittedRows*) {
  static constexpr std::array<EnumName<FittedRows>, 3> kNames{
      {{"none", FittedRows::none}, {"odd", FittedRows::odd}, {"all", FittedRows::all}}};
  return kNames;
}

constexpr std::int64_t kMostRounds = 10'000'000;

void Experiment::describe(Description<Experiment>& d) {
  d.required("name", &Experiment::name, "name of the experiment and of its results folder");
  d.optional("model", &Experiment::model,
             "the network: a preset, a path, or a description, which may be one of these with some "
             "keys changed: `{of: resnet50, classes: 10}` (required, but for a workload)");
  d.optional("workload", &Experiment::workload, "what workers do instead of training a network");
  d.optional("jobs", &Experiment::jobs,
             "jobs that share the machine; the file has no other keys then but name, machine, "
             "steps, warmup, repeats, seed");
  d.optional("machine", &Experiment::machine,
             "a preset, a path, a description, `this` (this computer) or `ideal` (only delays and "
             "synthetic layers take time)");
  d.optional("software", &Experiment::software,
             "the software stack's costs: a preset, a path, or a description, as of `model`");
  d.optional("precision", &Experiment::precision, "number format of the training");
  d.optional("layout", &Experiment::layout,
             "order of a tensor's dimensions, where a GPU executes or is predicted and in which "
             "published row sets the cost of arithmetic; default in fp16 and bf16: NHWC, since "
             "tensor cores have convolutions in it alone");
  d.optional("deterministic", &Experiment::deterministic, "executions repeat to the bit");
  d.optional("batch", &Experiment::batch, "items per worker and step (weak scaling)")
      .at_least(1)
      .at_most(kMostBatch);
  d.optional("global_batch", &Experiment::global_batch,
             "items per step of all workers (strong scaling), instead of batch")
      .at_least(1);
  d.optional("workers", &Experiment::workers, "number of workers").at_least(1).at_most(2097152);
  d.optional("update", &Experiment::update,
             "when the weights are updated (default: sync; none: never, with independent workers)");
  d.optional("aggregation", &Experiment::aggregation,
             "how gradients become new weights (of software that all-reduces, by default an "
             "all-reduce)");
  d.optional("stragglers", &Experiment::stragglers, "delays and failures of workers");
  d.optional("draws", &Experiment::draws,
             "delays that a simulation draws: exact, those of each worker; extremes, of equal "
             "workers that wait for each other the longest alone");
  d.optional("gpus", &Experiment::gpus, "GPUs of the workers, by number in the machine");
  d.optional("devices", &Experiment::devices,
             "several workers on one card (default: a GPU for each worker)");
  d.optional("processes", &Experiment::processes,
             "processes that run the roles together over TCP (default: one)");
  d.optional("input", &Experiment::input, "source of mini-batches");
  d.optional("lengths", &Experiment::lengths,
             "sequences of unequal length (default: all have the network's)");
  d.optional("validation", &Experiment::validation,
             "forward passes on other items, now and then (default: none)");
  d.optional("checkpoint", &Experiment::checkpoint,
             "the weights are written to storage, now and then (default: never)");
  d.optional("optimizer", &Experiment::optimizer, "the update rule");
  d.optional("train", &Experiment::train, "train with real gradients on a data set");
  d.optional("published", &Experiment::published, "published measurements to compare with");
  d.optional("layer_times", &Experiment::layer_times,
             "source of a described GPU's layer times. `auto` takes the first of: the one-worker "
             "row of the `published` table, this computer's profile, a one-worker row of the "
             "shipped tables, an estimate; rows are for the same network, GPU and "
             "precision. `roofline`: always the estimate");
  d.optional("samples_per_epoch", &Experiment::samples_per_epoch, "items in an epoch");
  describe_run(d);
}

void Experiment::describe_run(Description<Experiment>& d) {
  d.optional("steps", &Experiment::steps, "rounds measured (a round: one mini-batch per worker)")
      .at_least({1, 0})
      .at_most({kMostRounds, 0});
  d.optional("warmup", &Experiment::warmup, "rounds before the measurement")
      .at_least({0, 0})
      .at_most({kMostRounds, 0});
  d.optional("repeats", &Experiment::repeats, "runs of each point").at_least(1).at_most(1000);
  d.optional("seed", &Experiment::seed, "seed of all random draws");
  d.optional("expect", &Experiment::expect,
             "bounds of results by column; a run that misses one has exit code 1 (default: none)");
}

}  // namespace paceline
