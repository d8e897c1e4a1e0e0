// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/driver_function.hpp"

#include <cuda_runtime_api.h>

namespace paceline::cuda {

void* driver_function(const char* name, unsigned version) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
  if (status != cudaSuccess) cudaGetLastError();
  return status == cudaSuccess && result == cudaDriverEntryPointSuccess ? found : nullptr;
}

}  // namespace paceline::cuda
