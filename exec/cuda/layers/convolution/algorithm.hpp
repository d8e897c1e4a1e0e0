// SPDX-License-Identifier: MIT
/// \file
/// One way of cuDNN's to compute a pass of a convolution. There are two doors to them: its graphs
/// of operations, behind which the newer kernels are, and its older calls, which also add to what
/// is there.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "exec/cuda/layers/convolution/problem.hpp"
#include "exec/cuda/layers/toolbox.hpp"

namespace paceline::cuda {

class ConvolutionAlgorithm {
 public:
  virtual ~ConvolutionAlgorithm() = default;
  /// How it is remembered ("graph engine 12 2=1", "legacy 1 math 3").
  virtual std::string text() const = 0;
  virtual std::size_t workspace_bytes() const = 0;
  /// Queues the pass. Throws Error.
  virtual void run(const Operands& operands, void* workspace) = 0;
};
using ConvolutionAlgorithms = std::vector<std::unique_ptr<ConvolutionAlgorithm>>;

/// What an algorithm may take of scratch memory. It holds copies of the largest image and map of
/// VGG-16's first layers in another layout (64 images of 64 x 224 x 224 in fp16 are 411 MB each),
/// which the matrix units ask for; no network here has larger ones.
inline constexpr std::size_t kWorkspaceLimit = std::size_t{1} << 30;

/// Those within the limit that cuDNN proposes, its favourites first; empty where it has none.
ConvolutionAlgorithms graph_algorithms(const Toolbox& tools, const ConvolutionProblem& problem);
ConvolutionAlgorithms legacy_algorithms(const Toolbox& tools, const ConvolutionProblem& problem);

/// The one that was remembered as `text`, or null where that is not to be had (any more).
std::unique_ptr<ConvolutionAlgorithm> graph_algorithm(const Toolbox& tools,
                                                      const ConvolutionProblem& problem,
                                                      const std::string& text);
std::unique_ptr<ConvolutionAlgorithm> legacy_algorithm(const Toolbox& tools,
                                                       const ConvolutionProblem& problem,
                                                       const std::string& text);

}  // namespace paceline::cuda
