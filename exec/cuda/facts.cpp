// SPDX-License-Identifier: MIT
#include "exec/cuda/facts.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <cublasLt.h>

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <nccl.h>

#include "exec/cuda/gpu_fitness.hpp"

namespace paceline::cuda {
namespace {

#ifndef PACELINE_CUDA_ARCHITECTURES  // set by the build of the plug-in
#define PACELINE_CUDA_ARCHITECTURES "75-virtual 90-real"
#endif

/// "", or why the CUDA layer does not run on the GPU.
std::string verdict_on(int gpu, const cudaDeviceProp& properties, int driver) {
  const std::string why =
      unfit(10 * properties.major + properties.minor,
            {PACELINE_CUDA_ARCHITECTURES, CUDART_VERSION, driver, cudnnGetVersion()});
  if (why.empty()) return "";
  return "GPU " + std::to_string(gpu) + " (" + properties.name + ") " + why;
}

/// "", or why cuDNN does not fit: its file has the same name for every CUDA.
std::string unfit_cudnn() {
  const std::size_t made_for = cudnnGetCudartVersion();
  if (made_for / 1000 == CUDART_VERSION / 1000) return "";
  return "cuDNN " + library_version(cudnnGetVersion()) + " is made for CUDA " +
         cuda_version(static_cast<int>(made_for)) + ", not for CUDA " +
         std::to_string(CUDART_VERSION / 1000) + " (LD_LIBRARY_PATH names folders to search)";
}

GpuFacts gpu_facts(int gpu, int driver) {
  GpuFacts facts;
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, gpu) == cudaSuccess) {
    facts.name = properties.name;
    facts.memory = Bytes{static_cast<double>(properties.totalGlobalMem)};
    facts.sms = properties.multiProcessorCount;
    facts.unusable = verdict_on(gpu, properties, driver);
  }
  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), gpu) == cudaSuccess) {
    facts.bus = bus.data();
  }
  return facts;
}

/// The reason why there are no GPUs.
std::string problem_of(cudaError_t status, int driver, int runtime) {
  if (driver == 0) return "no NVIDIA driver on this computer";
  if (status == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver (CUDA " + cuda_version(driver) + ") is too old for CUDA " +
           cuda_version(runtime);
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice) return "no NVIDIA GPU on this computer";
  return std::string("the NVIDIA driver failed: ") + cudaGetErrorString(status);
}

}  // namespace

std::string cuda_version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string library_version(std::size_t number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

AcceleratorFacts read_facts() {
  AcceleratorFacts facts;
  int driver = 0;
  int runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) runtime = 0;
  if (driver > 0) facts.driver = cuda_version(driver);
  facts.runtime = cuda_version(runtime);
  facts.cudnn = library_version(cudnnGetVersion());
  facts.cublas = library_version(cublasLtGetVersion());
  // the variable overrides the settings of both libraries for fp32
  if (const char* override = std::getenv("NVIDIA_TF32_OVERRIDE"); override != nullptr) {
    for (std::string* library : {&facts.cudnn, &facts.cublas}) {
      *library += std::string(" (NVIDIA_TF32_OVERRIDE=") + override + ")";
    }
  }
  int nccl = 0;
  if (ncclGetVersion(&nccl) == ncclSuccess) {
    facts.nccl = library_version(static_cast<std::size_t>(nccl));
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();  // clears the error of the query, so that later calls do not report it
  if (status != cudaSuccess || count == 0) {
    facts.problem = problem_of(status, driver, runtime);
    return facts;
  }
  facts.problem = unfit_cudnn();
  if (!facts.problem.empty()) return facts;
  for (int gpu = 0; gpu < count; ++gpu) facts.gpus.push_back(gpu_facts(gpu, driver));
  const auto usable = [](const GpuFacts& gpu) { return gpu.unusable.empty(); };
  if (std::ranges::none_of(facts.gpus, usable)) {
    facts.problem = facts.gpus.front().unusable;
    facts.gpus.clear();
  }
  return facts;
}

}  // namespace paceline::cuda
