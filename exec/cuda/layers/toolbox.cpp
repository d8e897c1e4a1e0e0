// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/toolbox.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

Toolbox::Toolbox(cudaStream_t stream, AlgorithmCache& cache) : stream_(stream), cache_(cache) {
  check(cudnnCreate(&cudnn_), "opening cuDNN");
  try {
    check(cudnnSetStream(cudnn_, stream), "giving cuDNN its stream");
    check(cublasLtCreate(&cublas_), "opening cuBLAS");
  } catch (...) {
    cudnnDestroy(cudnn_);
    throw;
  }
}

Toolbox::~Toolbox() {
  cublasLtDestroy(cublas_);
  cudnnDestroy(cudnn_);
}

}  // namespace paceline::cuda
