// SPDX-License-Identifier: MIT
#include "exec/cuda/layers/toolbox.hpp"

#include <cstdlib>

#include "exec/cuda/layers/convolution/search.hpp"
#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

Toolbox::Toolbox(cudaStream_t stream, AlgorithmCache& cache, bool deterministic)
    : stream_(stream), cache_(cache), deterministic_(deterministic) {
  // The products within cuDNN's recurrent layers repeat only where cuBLAS has this (PyTorch's notes
  // on torch.use_deterministic_algorithms). A value of the user's stays.
  if (deterministic) setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", 0);
  check(cudnnCreate(&cudnn_), "opening cuDNN");
  try {
    check(cudnnSetStream(cudnn_, stream), "giving cuDNN its stream");
    check(cublasLtCreate(&cublas_), "opening cuBLAS");
    convolutions_ = std::make_unique<ConvolutionSearch>(*this);
  } catch (...) {
    if (cublas_ != nullptr) cublasLtDestroy(cublas_);
    cudnnDestroy(cudnn_);
    throw;
  }
}

Toolbox::~Toolbox() {
  convolutions_.reset();
  cublasLtDestroy(cublas_);
  cudnnDestroy(cudnn_);
}

}  // namespace paceline::cuda
