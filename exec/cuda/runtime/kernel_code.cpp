// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/kernel_code.hpp"

#include <vector>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "exec/cuda/runtime/driver_function.hpp"

namespace paceline::cuda {
namespace {

std::vector<const void*>& kernels_of_files() {
  static std::vector<const void*> kernels;
  return kernels;
}

struct Driver {
  decltype(&cuKernelGetLibrary) library_of = nullptr;
  decltype(&cuLibraryGetKernelCount) count_of = nullptr;
  decltype(&cuLibraryEnumerateKernels) list = nullptr;
  decltype(&cuKernelGetFunction) function_of = nullptr;
  decltype(&cuFuncLoad) load = nullptr;

  bool found() {
    // cuda.h: the youngest of them, cuKernelGetLibrary, came with this version
    constexpr unsigned kVersion = 12050;
    return find_driver_function("cuKernelGetLibrary", kVersion, library_of) &&
           find_driver_function("cuLibraryGetKernelCount", kVersion, count_of) &&
           find_driver_function("cuLibraryEnumerateKernels", kVersion, list) &&
           find_driver_function("cuKernelGetFunction", kVersion, function_of) &&
           find_driver_function("cuFuncLoad", kVersion, load);
  }
};

/// Number of kernels of the file of `kernel` that are loaded now.
int load_file(const Driver& driver, const void* kernel) {
  cudaKernel_t handle = nullptr;
  if (cudaGetKernel(&handle, kernel) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  CUlibrary library = nullptr;
  unsigned count = 0;
  if (driver.library_of(&library, reinterpret_cast<CUkernel>(handle)) != CUDA_SUCCESS ||
      driver.count_of(&count, library) != CUDA_SUCCESS) {
    return 0;
  }
  std::vector<CUkernel> kernels(count);
  if (driver.list(kernels.data(), count, library) != CUDA_SUCCESS) return 0;
  int loaded = 0;
  for (CUkernel one : kernels) {
    CUfunction function = nullptr;
    if (driver.function_of(&function, one) == CUDA_SUCCESS &&
        driver.load(function) == CUDA_SUCCESS) {
      ++loaded;
    }
  }
  return loaded;
}

}  // namespace

KernelFile::KernelFile(const void* kernel) {
  kernels_of_files().push_back(kernel);
}

int load_kernels() {
  Driver driver;
  if (kernels_of_files().empty() || !driver.found()) return 0;
  int loaded = 0;
  for (const void* kernel : kernels_of_files()) loaded += load_file(driver, kernel);
  return loaded;
}

}  // namespace paceline::cuda
