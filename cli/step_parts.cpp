// SPDX-License-Identifier: MIT
#include "cli/step_parts.hpp"

#include <algorithm>
#include <limits>

#include "cli/probe.hpp"
#include "sim/simulate.hpp"

namespace paceline {
namespace {

/// How much shorter the arithmetic of a mini-batch is with changed costs.
double shorter_with(void (*change)(Prediction&), const Prediction& setting,
                    const Measurement& predicted) {
  Prediction changed = setting;
  changed.spans = nullptr;
  change(changed);
  const Measurement other = simulate(changed);
  return std::max(0.0, predicted.compute.value_or(0) - other.compute.value_or(0));
}

}  // namespace

void without_launches(Prediction& setting) {
  setting.costs.dispatch = {};
}

void without_occupation(Prediction& setting) {
  setting.costs.collective.contention = Percent{0};
  if (setting.costs.nccl) setting.costs.nccl->sms = std::numeric_limits<int>::max();
}

BehindArithmetic behind_arithmetic(const Prediction& setting, const Measurement& predicted) {
  BehindArithmetic behind;
  const AllReduce* library = setting.point->experiment.aggregation->all_reduce();
  const double arithmetic = predicted.compute.value_or(0);
  if (setting.costs.dispatch > Seconds{}) {
    behind.launches = shorter_with(without_launches, setting, predicted);
  }
  if (library != nullptr && library->native()) {
    behind.library = std::min(shorter_with(without_occupation, setting, predicted),
                              arithmetic - behind.launches);
  }
  return behind;
}

std::vector<StepPart> step_parts(const Measurement& predicted, const BehindArithmetic& behind) {
  const double arithmetic = predicted.compute.value_or(0) - behind.launches - behind.library;
  using Kind = StepPart::Kind;
  return {
      {Kind::own_work, "arithmetic", arithmetic, "compute-bound", " of a step is arithmetic"},
      {Kind::other, "waiting for kernels to be launched", behind.launches, "launch-bound",
       " of a step waits for kernels to be launched"},
      {Kind::other, "slower arithmetic beside the all-reduce", behind.library,
       "communication-bound", " of a step is what the all-reduce takes from the GPU"},
      {Kind::own_work, "straggler delay", predicted.delay.value_or(0), "straggler-bound",
       " of a step is injected delay"},
      {Kind::other, "communication that workers wait for", predicted.exposed_comm.value_or(0),
       "communication-bound", " of a step waits for communication"},
      {Kind::workers, "waiting for other workers", predicted.wait.value_or(0), "wait-bound",
       " of a step waits for other workers"},
      {Kind::other, "waiting for input", predicted.input.value_or(0), "input-bound",
       " of a step waits for input"},
      {Kind::other, "validation", predicted.validation.value_or(0), "validation-bound",
       " of a step is validation"},
      {Kind::other, "writing of checkpoints", predicted.checkpoint.value_or(0), "checkpoint-bound",
       " of a step writes checkpoints"},
  };
}

}  // namespace paceline
