// SPDX-License-Identifier: MIT
/// \file
/// The library handles that the operations of one worker share, bound to the worker's stream, the
/// cache of timed algorithms, and the search for those of convolutions.
#pragma once
#include <memory>

#include <cublasLt.h>

#include <cudnn.h>

namespace paceline::cuda {

class AlgorithmCache;
class ConvolutionSearch;

/// Bound to the device that is current at construction. Not thread-safe.
class Toolbox {
 public:
  /// `cache` must outlive this.
  Toolbox(cudaStream_t stream, AlgorithmCache& cache, bool deterministic = false);
  ~Toolbox();
  Toolbox(const Toolbox&) = delete;
  Toolbox& operator=(const Toolbox&) = delete;

  cudaStream_t stream() const { return stream_; }
  cudnnHandle_t cudnn() const { return cudnn_; }
  cublasLtHandle_t cublas() const { return cublas_; }
  AlgorithmCache& cache() const { return cache_; }
  ConvolutionSearch& convolutions() const { return *convolutions_; }
  /// Whether only algorithms that repeat to the bit may be chosen, and not by their times.
  bool deterministic() const { return deterministic_; }

 private:
  cudaStream_t stream_;
  AlgorithmCache& cache_;
  bool deterministic_;
  cudnnHandle_t cudnn_ = nullptr;
  cublasLtHandle_t cublas_ = nullptr;
  std::unique_ptr<ConvolutionSearch> convolutions_;  ///< ends before the handles
};

}  // namespace paceline::cuda
