// SPDX-License-Identifier: MIT
/// \file
/// The check of an algorithm that does several operations in one before it is chosen: its results
/// are compared with those of the operations one by one.
#pragma once
#include <vector>

#include "exec/cuda/kernels/batch_norm.hpp"
#include "exec/cuda/layers/convolution/algorithm.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// Sums of a map by the batch norm's own kernels.
class SumsApart {
 public:
  explicit SumsApart(const ConvolutionProblem& problem);
  void run(const void* map, cudaStream_t stream) const;
  /// Of the last run: the means of all channels, then the inverse deviations. Synchronises.
  std::vector<float> results(cudaStream_t stream) const;

 private:
  const BatchNormShape shape_;
  const DeviceMemory scratch_, arrivals_, results_;
};

class Agreement {
 public:
  /// Runs `apart`, which leaves the fused operations to our kernels. `operands` are noise; the
  /// result is overwritten. All must outlive this. Throws Error if `apart` fails.
  Agreement(const Toolbox& tools, const ConvolutionProblem& problem, const Operands& operands,
            void* workspace, const SumsApart& sums, ConvolutionAlgorithm& apart);
  /// Whether two runs of `fused` give the same bits, and the numbers of `apart` but for rounding.
  /// True if those are not finite or all 0, since then there is nothing to compare.
  bool with(ConvolutionAlgorithm& fused) const;

 private:
  struct Result {
    std::vector<float> numbers;     ///< the first and the last of the output
    std::vector<float> statistics;  ///< as of SumsApart; empty without sums
    friend bool operator==(const Result&, const Result&) = default;
  };
  Result result_of(ConvolutionAlgorithm& algorithm) const;
  std::vector<float> sample() const;
  std::vector<float> statistics_of_sums() const;

  const Toolbox& tools_;
  const ConvolutionProblem& problem_;
  const Operands& operands_;
  void* const workspace_;
  const SumsApart& sums_;
  Result expected_;
};

}  // namespace paceline::cuda
