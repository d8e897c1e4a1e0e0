// SPDX-License-Identifier: MIT
#include "exec/cuda/machine/green_driver.hpp"

#include <cuda_runtime_api.h>

#include "exec/cuda/facts.hpp"
#include "exec/cuda/runtime/driver_function.hpp"
#include "exec/cuda/runtime/toolkit.hpp"

namespace paceline::cuda {
namespace {

// The first CUDA version with all of these calls: green contexts came with 12.4, their streams with
// 12.5 (cuda.h of these versions).
constexpr unsigned kVersion = 12050;

std::string too_old() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  return "green contexts need a driver of CUDA " + cuda_version(kVersion) + "; this is " +
         cuda_version(driver);
}

template <class Function>
void find(const char* name, Function& function) {
  if (!find_driver_function(name, kVersion, function)) throw NoGreenContexts(too_old());
}

}  // namespace

GreenDriver GreenDriver::load() {
  GreenDriver driver;
  find("cuDeviceGet", driver.device_get);
  find("cuGetErrorName", driver.error_name);
  find("cuCtxPushCurrent", driver.push_current);
  find("cuCtxPopCurrent", driver.pop_current);
  find("cuDeviceGetDevResource", driver.device_resource);
  find("cuDevSmResourceSplitByCount", driver.split);
  find("cuDevResourceGenerateDesc", driver.describe);
  find("cuGreenCtxCreate", driver.create);
  find("cuGreenCtxDestroy", driver.destroy);
  find("cuGreenCtxGetDevResource", driver.resource_of);
  find("cuCtxFromGreenCtx", driver.context_of);
  find("cuGreenCtxStreamCreate", driver.create_stream);
  return driver;
}

void GreenDriver::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  if (error_name(result, &name) != CUDA_SUCCESS || name == nullptr) name = "an unknown error";
  throw NoGreenContexts(std::string(call) + ": " + name);
}

}  // namespace paceline::cuda
