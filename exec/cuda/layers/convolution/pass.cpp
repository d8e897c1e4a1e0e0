// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/pass.hpp"

#include <algorithm>

#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/convolution/agreement.hpp"
#include "exec/cuda/layers/convolution/candidates.hpp"
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
        map_(noise(problem.batch * problem.map.elements(), problem, stream)),
        bias_(vectors(problem, stream)),
        sums_(vectors(problem, stream)) {}
  Operands operands() const {
    return {image_.data(), filters_.data(), map_.data(), bias_.as<float>(), sums_.as<float>()};
  }

 private:
  static DeviceMemory noise(std::int64_t count, const ConvolutionProblem& problem,
                            cudaStream_t stream) {
    DeviceMemory memory(static_cast<std::size_t>(count * bytes_of(problem.element())));
    fill_with_noise(memory.data(), problem.element(), count, stream);
    return memory;
  }
  /// Two numbers for each channel of the map.
  static DeviceMemory vectors(const ConvolutionProblem& problem, cudaStream_t stream) {
    const std::int64_t count = 2 * std::int64_t{problem.map.channels};
    DeviceMemory memory(static_cast<std::size_t>(count) * sizeof(float));
    fill_with_noise(memory.data(), Element::fp32, count, stream);
    return memory;
  }

  DeviceMemory image_, filters_, map_, bias_, sums_;
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

/// Removes fused algorithms with other results than those of the first one that is not fused.
void keep_what_agrees(ConvolutionAlgorithms& algorithms, const Toolbox& tools,
                      const ConvolutionProblem& problem, const Operands& operands, void* workspace,
                      const SumsApart& sums) {
  const auto is_fused = [](const auto& algorithm) { return algorithm->is_fused(); };
  if (std::ranges::none_of(algorithms, is_fused)) return;
  for (const auto& algorithm : algorithms) {
    if (algorithm->is_fused()) continue;
    try {
      const Agreement agreement(tools, problem, operands, workspace, sums, *algorithm);
      std::erase_if(algorithms,
                    [&](const auto& a) { return a->is_fused() && !agreement.with(*a); });
      return;
    } catch (const Error& error) {
      if (error.lasting()) throw;
    }
  }
  std::erase_if(algorithms, is_fused);  // there is nothing to compare with
}

}  // namespace

ConvolutionPass::ConvolutionPass(const Toolbox& tools, const ConvolutionProblem& problem,
                                 std::string layer)
    : tools_(tools),
      problem_(problem),
      layer_(std::move(layer)),
      key_(text_of(problem) + (tools.deterministic() ? " deterministic" : "")),
      found_(tools.convolutions().begin(problem, key_)) {}

ConvolutionAlgorithm& ConvolutionPass::algorithm() const {
  tools_.convolutions().wait();
  if (found_->chosen == nullptr) {
    ConvolutionSearch::Candidates candidates = found_->candidates.get();
    if (candidates.known) {
      found_->chosen = std::move(candidates.all.front());
    } else {
      choose(std::move(candidates.all));
    }
  }
  return *found_->chosen;
}

void ConvolutionPass::choose(ConvolutionAlgorithms algorithms) const {
  const TrialMemory memory(problem_, tools_.stream());
  const SumsApart sums(problem_);
  const DeviceMemory workspace = workspace_for(algorithms);
  const Operands operands = memory.operands();
  keep_what_agrees(algorithms, tools_, problem_, operands, workspace.data(), sums);
  std::vector<Attempt> attempts;
  for (const auto& algorithm : algorithms) {
    attempts.emplace_back([&] {
      algorithm->run(operands, workspace.data());
      const bool apart = problem_.sums && !algorithm->is_fused();
      if (apart) sums.run(operands.map, tools_.stream());
    });
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
  found_->chosen = std::move(algorithms[*best]);
  tools_.cache().put(key_, found_->chosen->text());
}

void ConvolutionPass::prepare(const Operands& operands, void* workspace) {
  const auto once = [&] { algorithm().run(operands, workspace); };
  if (failure_of(once, tools_.stream()).empty()) return;
  ConvolutionAlgorithms smaller = candidates_for(tools_, problem_);
  std::erase_if(
      smaller, [limit = workspace_bytes()](const auto& a) { return a->workspace_bytes() > limit; });
  choose(std::move(smaller));
  const std::string failure = failure_of(once, tools_.stream());
  if (!failure.empty()) throw Error("layer '" + layer_ + "': " + failure, false);
}

void ConvolutionPass::run(const Operands& operands, void* workspace) {
  algorithm().run(operands, workspace);
}

}  // namespace paceline::cuda
