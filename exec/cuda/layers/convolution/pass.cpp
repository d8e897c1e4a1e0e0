// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/pass.hpp"

#include <algorithm>

#include "exec/cuda/kernels/noise.hpp"
#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/layers/convolution/agreement.hpp"
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

/// A problem that cuDNN gets: all that is to be done, or a part, which our kernels complete.
struct Request {
  ConvolutionProblem problem;
  enum class Of : std::uint8_t { fused_graphs, graphs, legacy } of;
};

/// The legacy calls can add.
std::vector<Request> requests_for(const ConvolutionProblem& problem) {
  std::vector<Request> requests;
  if (problem.may_fuse()) requests.push_back({problem, Request::Of::fused_graphs});
  ConvolutionProblem part = problem.alone();
  requests.push_back({part, Request::Of::graphs});
  part.adds = problem.adds;
  requests.push_back({part, Request::Of::legacy});
  return requests;
}

/// The whole of `problem`, by an algorithm that answers a request for it; null if that is.
std::unique_ptr<ConvolutionAlgorithm> whole(const Toolbox& tools, const ConvolutionProblem& problem,
                                            const Request& request,
                                            std::unique_ptr<ConvolutionAlgorithm> algorithm) {
  if (request.of == Request::Of::fused_graphs) return algorithm;
  return completed(tools, problem, request.problem, std::move(algorithm));
}

ConvolutionAlgorithms algorithms_of(const Toolbox& tools, const ConvolutionProblem& problem) {
  ConvolutionAlgorithms all;
  for (const Request& request : requests_for(problem)) {
    const bool legacy = request.of == Request::Of::legacy;
    for (auto& algorithm : legacy ? legacy_algorithms(tools, request.problem)
                                  : graph_algorithms(tools, request.problem)) {
      all.push_back(whole(tools, problem, request, std::move(algorithm)));
    }
  }
  return all;
}

/// The one with text() equal to `text`, or null.
std::unique_ptr<ConvolutionAlgorithm> algorithm_of(const Toolbox& tools,
                                                   const ConvolutionProblem& problem,
                                                   const std::string& text) {
  for (const Request& request : requests_for(problem)) {
    const bool legacy = request.of == Request::Of::legacy;
    auto algorithm = legacy ? legacy_algorithm(tools, request.problem, text)
                            : graph_algorithm(tools, request.problem, text);
    if (algorithm != nullptr) return whole(tools, problem, request, std::move(algorithm));
  }
  return nullptr;
}

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
    : tools_(tools), problem_(problem), layer_(std::move(layer)) {
  if (const auto known = tools.cache().find(key())) {
    algorithm_ = algorithm_of(tools, problem, *known);
  }
  if (!algorithm_) choose(kWorkspaceLimit);
}

std::string ConvolutionPass::key() const {
  return text_of(problem_) + (tools_.deterministic() ? " deterministic" : "");
}

void ConvolutionPass::choose(std::size_t limit) {
  ConvolutionAlgorithms algorithms = algorithms_of(tools_, problem_);
  std::erase_if(algorithms, [&](const auto& a) { return a->workspace_bytes() > limit; });

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
