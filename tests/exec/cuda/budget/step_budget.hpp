// SPDX-License-Identifier: MIT
/// \file
/// The memory traffic and the products of one training step on a GPU, without a GPU: exec/cuda
/// executes a point on the emulation, which lists kernels and library calls in place of carrying
/// them out. Every figure comes from the launch itself.
#pragma once
#include <string>
#include <vector>

#include "tests/exec/cuda/emulation/emulated_cuda.hpp"

namespace paceline::cuda {

/// A step of one worker that has the GPU to itself, in the steady state.
struct StepBudget {
  std::string title;  ///< "resnet50, bf16, NHWC, batch 256"
  std::string precision;
  double items = 0;
  std::vector<emulation::ListedWork> works;  ///< in the order of their launch

  /// Launches of kernels, by graphs or not; those of libraries included.
  int kernels() const;
  std::int64_t bytes() const;
  std::int64_t flops() const;
};

/// Executes the experiments/gpu/resnet50-bf16.yaml of the sources with changes ("model=vgg16",
/// "batch=64"). Throws if it cannot be read or executed, or if a kernel does not state its cost.
StepBudget step_budget(const std::vector<std::string>& changes);

/// The step by kind of kernel, its totals, and the time that a GPU needs at least.
std::string table_of(const StepBudget& step);
/// Every launch, a line each.
std::string list_of(const StepBudget& step);

}  // namespace paceline::cuda
