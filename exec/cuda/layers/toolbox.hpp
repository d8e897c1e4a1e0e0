// SPDX-License-Identifier: MIT
/// \file
/// The handles of the libraries that one worker's operations share, bound to its stream, and the
/// choices of algorithm that were timed before.
#pragma once
#include <type_traits>

#include <cublasLt.h>

#include <cudnn.h>

namespace paceline::cuda {

class AlgorithmCache;

/// Made on the current device. Not for several threads at once.
class Toolbox {
 public:
  /// `cache` must outlive this.
  Toolbox(cudaStream_t stream, AlgorithmCache& cache);
  ~Toolbox();
  Toolbox(const Toolbox&) = delete;
  Toolbox& operator=(const Toolbox&) = delete;

  cudaStream_t stream() const { return stream_; }
  cudnnHandle_t cudnn() const { return cudnn_; }
  cublasLtHandle_t cublas() const { return cublas_; }
  AlgorithmCache& cache() const { return cache_; }

 private:
  cudaStream_t stream_;
  AlgorithmCache& cache_;
  cudnnHandle_t cudnn_ = nullptr;
  cublasLtHandle_t cublas_ = nullptr;
};

}  // namespace paceline::cuda
