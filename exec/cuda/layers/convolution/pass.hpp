// SPDX-License-Identifier: MIT
/// \file
/// A pass of a convolution, and what is fused with it, with the fastest algorithm, taken from the
/// cache or found by timing all algorithms that cuDNN proposes.
#pragma once
#include <string>

#include "exec/cuda/layers/convolution/search.hpp"

namespace paceline::cuda {

class ConvolutionPass {
 public:
  /// Begins to search for algorithms. `tools` must outlive this.
  ConvolutionPass(const Toolbox& tools, const ConvolutionProblem& problem, std::string layer);

  /// These wait for the search. If the cache has no entry, the algorithms are timed in memory of
  /// their own, and the device is synchronised. Throws Error ("layer 'conv1': cuDNN does not
  /// support ...").
  std::size_t workspace_bytes() const { return algorithm().workspace_bytes(); }
  /// The algorithm, as stored in the cache.
  std::string text() const { return algorithm().text(); }

  /// Runs the pass once and, if that fails (an outdated cache entry), chooses again within the same
  /// workspace. Synchronises with the device. Throws Error with the layer's name.
  void prepare(const Operands& operands, void* workspace);
  /// Queues the pass. Throws Error.
  void run(const Operands& operands, void* workspace);
  /// Whether run() writes the problem's sums. Valid after prepare().
  bool sums() const { return problem_.sums && algorithm().is_fused(); }

 private:
  ConvolutionAlgorithm& algorithm() const;
  /// The fastest of these.
  void choose(ConvolutionAlgorithms algorithms) const;

  const Toolbox& tools_;
  const ConvolutionProblem problem_;
  const std::string layer_;
  const std::string key_;  ///< of its algorithm in the cache
  const std::shared_ptr<ConvolutionSearch::Found> found_;
};

}  // namespace paceline::cuda
