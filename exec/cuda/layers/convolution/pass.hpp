// SPDX-License-Identifier: MIT
/// \file
/// A pass of a convolution, and what is fused with it, with the fastest algorithm, taken from the
/// cache or found by timing all algorithms that cuDNN proposes.
#pragma once
#include <string>

#include "exec/cuda/layers/convolution/algorithm.hpp"

namespace paceline::cuda {

class ConvolutionPass {
 public:
  /// If the cache has no entry, times the algorithms in its own memory and synchronises with the
  /// device. `tools` must outlive this. Throws Error ("layer 'conv1': cuDNN does not support ...").
  ConvolutionPass(const Toolbox& tools, const ConvolutionProblem& problem, std::string layer);

  std::size_t workspace_bytes() const { return algorithm_->workspace_bytes(); }
  /// Runs the pass once and, if that fails (an outdated cache entry), chooses again within the same
  /// workspace. Synchronises with the device. Throws Error with the layer's name.
  void prepare(const Operands& operands, void* workspace);
  /// Queues the pass. Throws Error.
  void run(const Operands& operands, void* workspace);
  /// Whether run() writes the problem's sums. Valid after prepare().
  bool sums() const { return problem_.sums && algorithm_->is_fused(); }
  /// The algorithm, as stored in the cache.
  std::string text() const { return algorithm_->text(); }

 private:
  /// Chooses the fastest algorithm with a workspace of at most `limit` bytes.
  void choose(std::size_t limit);

  /// Of its algorithm in the cache.
  std::string key() const;

  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const std::string layer_;
  std::unique_ptr<ConvolutionAlgorithm> algorithm_;
};

}  // namespace paceline::cuda
