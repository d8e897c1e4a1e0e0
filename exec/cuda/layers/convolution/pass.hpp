// SPDX-License-Identifier: MIT
/// \file
/// A pass of a convolution with the algorithm that is the fastest at it: found in the cache, or by
/// trying all that cuDNN proposes.
#pragma once
#include <string>

#include "exec/cuda/layers/convolution/algorithm.hpp"

namespace paceline::cuda {

class ConvolutionPass {
 public:
  /// Where the cache knows nothing, tries the algorithms on memory of its own and waits for the
  /// device. `tools` must outlive this. Throws Error ("layer 'conv1': cuDNN does not support ...").
  ConvolutionPass(const Toolbox& tools, const ConvolutionProblem& problem, std::string layer);

  std::size_t workspace_bytes() const { return algorithm_->workspace_bytes(); }
  /// Runs once, and where that fails (an old entry of the cache), chooses again within the same
  /// workspace. Waits for the device. Throws Error naming the layer.
  void prepare(const Operands& operands, void* workspace);
  /// Queues the pass. Throws Error.
  void run(const Operands& operands, void* workspace);
  /// The algorithm, as the cache has it.
  std::string text() const { return algorithm_->text(); }

 private:
  /// The fastest of those that take no more than `limit` bytes.
  void choose(std::size_t limit);

  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const std::string layer_;
  std::unique_ptr<ConvolutionAlgorithm> algorithm_;
};

}  // namespace paceline::cuda
