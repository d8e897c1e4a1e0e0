// SPDX-License-Identifier: MIT
/// \file
/// One of cuDNN's algorithms for a pass of a convolution. cuDNN has two interfaces to them: the
/// graph interface, which has the newer kernels and can fuse other operations with the convolution,
/// and the legacy calls, which can also add to the destination.
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
  /// The text by which the cache stores it ("graph engine 12 2=1", "fused engine 3", "legacy 1 math
  /// 3").
  virtual std::string text() const = 0;
  virtual std::size_t workspace_bytes() const = 0;
  /// Queues the pass. Throws Error.
  virtual void run(const Operands& operands, void* workspace) = 0;
  /// Whether run() writes the problem's sums; if not, the batch norm after it sums.
  virtual bool sums() const { return false; }
};
using ConvolutionAlgorithms = std::vector<std::unique_ptr<ConvolutionAlgorithm>>;

/// Maximum workspace of an algorithm. It holds copies of the largest image and map of VGG-16's
/// first layers in another layout (64 images of 64 x 224 x 224 in fp16 are 411 MB each), as kernels
/// for tensor cores require; no network here has larger tensors.
inline constexpr std::size_t kWorkspaceLimit = std::size_t{1} << 30;

/// The algorithms within the limit that cuDNN proposes, in its order; empty if there is none. Those
/// of graphs do all of the problem in one, the legacy ones at most add.
ConvolutionAlgorithms graph_algorithms(const Toolbox& tools, const ConvolutionProblem& problem);
ConvolutionAlgorithms legacy_algorithms(const Toolbox& tools, const ConvolutionProblem& problem);

/// The algorithm with text() equal to `text`, or null if it is not available (any more).
std::unique_ptr<ConvolutionAlgorithm> graph_algorithm(const Toolbox& tools,
                                                      const ConvolutionProblem& problem,
                                                      const std::string& text);
std::unique_ptr<ConvolutionAlgorithm> legacy_algorithm(const Toolbox& tools,
                                                       const ConvolutionProblem& problem,
                                                       const std::string& text);

/// The algorithm of `alone`, which is `problem` without some of what is fused with it, completed by
/// our own kernels.
std::unique_ptr<ConvolutionAlgorithm> completed(const Toolbox& tools,
                                                const ConvolutionProblem& problem,
                                                const ConvolutionProblem& alone,
                                                std::unique_ptr<ConvolutionAlgorithm> algorithm);

}  // namespace paceline::cuda
