// SPDX-License-Identifier: MIT
// Our own kernels after a convolution that cuDNN computes alone.
#include <optional>

#include "exec/cuda/kernels/accumulate.hpp"
#include "exec/cuda/kernels/bias.hpp"
#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "exec/cuda/layers/scratch.hpp"

namespace paceline::cuda {
namespace {

class Completed final : public ConvolutionAlgorithm {
 public:
  Completed(const Toolbox& tools, const ConvolutionProblem& problem,
            const ConvolutionProblem& alone, std::unique_ptr<ConvolutionAlgorithm> algorithm)
      : tools_(tools),
        problem_(problem),
        algorithm_(std::move(algorithm)),
        grid_(lay_channels(problem.element(), problem.layout == Layout::nhwc, problem.batch,
                           problem.map.channels, problem.map.height * problem.map.width)) {
    if (problem.adds && !alone.adds) {
      landing_bytes_ = aligned(static_cast<std::size_t>(problem.image_bytes()));
    }
  }

  std::string text() const override { return algorithm_->text(); }
  std::size_t workspace_bytes() const override {
    return landing_bytes_ + algorithm_->workspace_bytes();
  }

  void run(const Operands& operands, void* workspace) override {
    Operands landing = operands;
    if (landing_bytes_ > 0) landing.image = workspace;
    algorithm_->run(landing, at(workspace, landing_bytes_));
    if (landing_bytes_ > 0) {
      accumulate(workspace, operands.image, problem_.element(),
                 problem_.batch * problem_.image.elements(), tools_.stream());
    }
    if (problem_.bias || problem_.relu) {
      add_bias(grid_, problem_.element(), operands.map, problem_.bias ? operands.bias : nullptr,
               problem_.relu, tools_.stream());
    }
  }

 private:
  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const std::unique_ptr<ConvolutionAlgorithm> algorithm_;
  const ChannelGrid grid_;         ///< of the map
  std::size_t landing_bytes_ = 0;  ///< of a gradient that is computed in the workspace, then added
};

}  // namespace

std::unique_ptr<ConvolutionAlgorithm> completed(const Toolbox& tools,
                                                const ConvolutionProblem& problem,
                                                const ConvolutionProblem& alone,
                                                std::unique_ptr<ConvolutionAlgorithm> algorithm) {
  if (algorithm == nullptr) return nullptr;
  return std::make_unique<Completed>(tools, problem, alone, std::move(algorithm));
}

}  // namespace paceline::cuda
