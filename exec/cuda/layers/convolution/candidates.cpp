// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/convolution/candidates.hpp"

namespace paceline::cuda {
namespace {

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

}  // namespace

ConvolutionAlgorithms candidates_for(const Toolbox& tools, const ConvolutionProblem& problem) {
  ConvolutionAlgorithms all;
  for (const Request& request : requests_for(problem)) {
    const bool legacy = request.of == Request::Of::legacy;
    for (auto& algorithm : legacy ? legacy_algorithms(tools, request.problem)
                                  : graph_algorithms(tools, request.problem)) {
      all.push_back(whole(tools, problem, request, std::move(algorithm)));
    }
  }
  std::erase_if(all, [](const auto& a) { return a->workspace_bytes() > kWorkspaceLimit; });
  return all;
}

std::unique_ptr<ConvolutionAlgorithm> candidate_for(const Toolbox& tools,
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

}  // namespace paceline::cuda
