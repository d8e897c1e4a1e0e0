// SPDX-License-Identifier: MIT
/// \file
/// The driver's calls for green contexts, looked up at run time (runtime/driver_function.hpp).
#pragma once
#include <stdexcept>
#include <string>

#include <cuda.h>

namespace paceline::cuda {

/// A card cannot be split into groups of SMs; the caller continues without green contexts.
class NoGreenContexts : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GreenDriver {
  decltype(&cuDeviceGet) device_get = nullptr;
  decltype(&cuGetErrorName) error_name = nullptr;
  decltype(&cuCtxPushCurrent) push_current = nullptr;
  decltype(&cuCtxPopCurrent) pop_current = nullptr;
  decltype(&cuDeviceGetDevResource) device_resource = nullptr;
  decltype(&cuDevSmResourceSplitByCount) split = nullptr;
  decltype(&cuDevResourceGenerateDesc) describe = nullptr;
  decltype(&cuGreenCtxCreate) create = nullptr;
  decltype(&cuGreenCtxDestroy) destroy = nullptr;
  decltype(&cuGreenCtxGetDevResource) resource_of = nullptr;
  decltype(&cuCtxFromGreenCtx) context_of = nullptr;
  decltype(&cuGreenCtxStreamCreate) create_stream = nullptr;

  /// Throws NoGreenContexts if the driver lacks one of the calls ("green contexts need a driver of
  /// CUDA 12.5; this is 12.2").
  static GreenDriver load();
  /// Throws NoGreenContexts with the name `call` in its message unless the call succeeded.
  void check(CUresult result, const char* call) const;
};

}  // namespace paceline::cuda
