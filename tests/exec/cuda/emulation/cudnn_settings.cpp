// SPDX-License-Identifier: MIT
// The emulated cuDNN as a test wants it.
#include <cudnn.h>

#include "tests/exec/cuda/emulation/emulated_cuda.hpp"
#include "tests/exec/cuda/emulation/machine.hpp"

namespace paceline::cuda::emulation {

std::atomic<std::size_t>& cudnn_version() {
  static std::atomic<std::size_t> version{CUDNN_VERSION};
  return version;
}

std::atomic<std::size_t>& cudnn_cuda() {
  static std::atomic<std::size_t> version{CUDART_VERSION};
  return version;
}

void set_cudnn_version(std::size_t version) {
  cudnn_version() = version;
}

std::atomic<Graphs>& graphs_at_most() {
  static std::atomic<Graphs> most{Graphs::fused};
  return most;
}

void limit_graphs(Graphs most) {
  graphs_at_most() = most;
}

void set_cudnn_cuda(std::size_t version) {
  cudnn_cuda() = version;
}

}  // namespace paceline::cuda::emulation
