// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/pass.hpp"

#include <algorithm>
#include <iterator>

#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/fastest.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {
namespace {

/// Tensors of the problem's sizes for timing algorithms.
class TrialMemory {
 public:
  TrialMemory(const ConvolutionProblem& problem, cudaStream_t stream)
      : image_(noise(problem.batch * problem.image.elements(), problem, stream)),
        filters_(noise(std::int64_t{problem.map.channels} * problem.image.channels *
                           problem.kernel_height * problem.kernel_width,
                       problem, stream)),
        map_(noise(problem.batch * problem.map.elements(), problem, stream)) {}
  Operands operands() const { return {image_.data(), filters_.data(), map_.data()}; }

 private:
  static DeviceMemory noise(std::int64_t count, const ConvolutionProblem& problem,
                            cudaStream_t stream) {
    DeviceMemory memory(static_cast<std::size_t>(count * bytes_of(problem.element())));
    fill_with_noise(memory.data(), problem.element(), count, stream);
    return memory;
  }

  DeviceMemory image_, filters_, map_;
};

/// A workspace that fits every algorithm. Removes algorithms until the largest workspace can be
/// allocated.
DeviceMemory workspace_for(ConvolutionAlgorithms& algorithms) {
  for (;;) {
    std::size_t most = 0;
    for (const auto& algorithm : algorithms) most = std::max(most, algorithm->workspace_bytes());
    try {
      return DeviceMemory(most);
    } catch (const Error& error) {
      if (error.lasting()) throw;
      std::erase_if(algorithms, [&](const auto& a) { return a->workspace_bytes() == most; });
    }
  }
}

}  // namespace

ConvolutionPass::ConvolutionPass(const Toolbox& tools, const ConvolutionProblem& problem,
                                 std::string layer)
    : tools_(tools), problem_(problem), layer_(std::move(layer)) {
  if (const auto known = tools.cache().find(key())) {
    algorithm_ = graph_algorithm(tools, problem, *known);
    if (!algorithm_) algorithm_ = legacy_algorithm(tools, problem, *known);
  }
  if (!algorithm_) choose(kWorkspaceLimit);
}

std::string ConvolutionPass::key() const {
  return text_of(problem_) + (tools_.deterministic() ? " deterministic" : "");
}

void ConvolutionPass::choose(std::size_t limit) {
  ConvolutionAlgorithms algorithms = graph_algorithms(tools_, problem_);
  ConvolutionAlgorithms legacy = legacy_algorithms(tools_, problem_);
  std::move(legacy.begin(), legacy.end(), std::back_inserter(algorithms));
  std::erase_if(algorithms, [&](const auto& a) { return a->workspace_bytes() > limit; });

  const TrialMemory memory(problem_, tools_.stream());
  const DeviceMemory workspace = workspace_for(algorithms);
  std::vector<Attempt> attempts;
  for (const auto& algorithm : algorithms) {
    attempts.emplace_back([&] { algorithm->run(memory.operands(), workspace.data()); });
  }
  const auto best = tools_.deterministic() ? first_working(attempts, tools_.stream())
                                           : fastest(attempts, tools_.stream());
  if (!best) {
    const std::string why = attempts.empty() ? "no algorithm is proposed"
                                             : failure_of(attempts.front(), tools_.stream());
    throw Error(
        "layer '" + layer_ + "': cuDNN does not support " + text_of(problem_) + " (" + why + ")",
        false);
  }
  algorithm_ = std::move(algorithms[*best]);
  tools_.cache().put(key(), algorithm_->text());
}

void ConvolutionPass::prepare(const Operands& operands, void* workspace) {
  const auto once = [&] { algorithm_->run(operands, workspace); };
  if (failure_of(once, tools_.stream()).empty()) return;
  choose(algorithm_->workspace_bytes());
  const std::string failure = failure_of(once, tools_.stream());
  if (!failure.empty()) throw Error("layer '" + layer_ + "': " + failure, false);
}

void ConvolutionPass::run(const Operands& operands, void* workspace) {
  algorithm_->run(operands, workspace);
}

}  // namespace paceline::cuda
