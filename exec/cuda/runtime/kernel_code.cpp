// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/kernel_code.hpp"

#include <vector>

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace paceline::cuda {
namespace {

std::vector<const void*>& kernels_of_files() {
  static std::vector<const void*> kernels;
  return kernels;
}

/// The driver's calls, looked up since a program that links the driver does not start without it.
struct Driver {
  decltype(&cuKernelGetLibrary) library_of = nullptr;
  decltype(&cuLibraryGetKernelCount) count_of = nullptr;
  decltype(&cuLibraryEnumerateKernels) list = nullptr;
  decltype(&cuKernelGetFunction) function_of = nullptr;
  decltype(&cuFuncLoad) load = nullptr;

  bool found() {
    return find("cuKernelGetLibrary", library_of) && find("cuLibraryGetKernelCount", count_of) &&
           find("cuLibraryEnumerateKernels", list) && find("cuKernelGetFunction", function_of) &&
           find("cuFuncLoad", load);
  }

 private:
  /// cuda.h: the youngest of them, cuKernelGetLibrary, came with this version.
  static constexpr unsigned kVersion = 12050;

  template <class Function>
  static bool find(const char* name, Function& function) {
    void* at = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    if (cudaGetDriverEntryPointByVersion(name, &at, kVersion, cudaEnableDefault, &result) !=
        cudaSuccess) {
      cudaGetLastError();
      return false;
    }
    function = reinterpret_cast<Function>(at);
    return result == cudaDriverEntryPointSuccess && at != nullptr;
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
