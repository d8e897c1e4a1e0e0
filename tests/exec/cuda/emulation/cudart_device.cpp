// SPDX-License-Identifier: MIT
// Devices, errors and memory of the CUDA runtime.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/exec/cuda/emulation/stream.hpp"

namespace paceline::cuda::emulation {
namespace {

struct Named {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr Named kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    {cudaErrorTooManyPeers, "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
    {cudaErrorPeerAccessUnsupported, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalState, "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorIllegalInstruction, "cudaErrorIllegalInstruction",
     "an illegal instruction was encountered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorStreamCaptureImplicit, "cudaErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
};

Named named(cudaError_t error) {
  const auto* found = std::ranges::find(kErrors, error, &Named::error);
  return found == std::end(kErrors) ? Named{error, "cudaErrorUnknown", "unknown error"} : *found;
}

cudaError_t& last_error() {
  static constinit thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t check_device(int device) {
  if (Machine::instance().devices() == 0) return cudaErrorNoDevice;
  return device < 0 || device >= Machine::instance().devices() ? cudaErrorInvalidDevice
                                                               : cudaSuccess;
}

}  // namespace

cudaError_t returned(cudaError_t status) {
  if (status != cudaSuccess) last_error() = status;
  return status;
}

}  // namespace paceline::cuda::emulation

using namespace paceline::cuda::emulation;

extern "C" {

/// Kernels are functions of the host here, without code to load.
cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void*) {
  *kernel = nullptr;
  return returned(cudaErrorInvalidDeviceFunction);
}

const char* cudaGetErrorString(cudaError_t error) {
  return named(error).text;
}

const char* cudaGetErrorName(cudaError_t error) {
  return named(error).name;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error();
  last_error() = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  return last_error();
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = Machine::instance().devices();
  return returned(*count == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaSetDevice(int device) {
  const cudaError_t status = check_device(device);
  if (status == cudaSuccess) {
    current_device() = device;
    leave_group();
  }
  return returned(status);
}

cudaError_t cudaGetDevice(int* device) {
  *device = current_device();
  return returned(check_device(*device));
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (const auto status = check_device(device); status != cudaSuccess) return returned(status);
  *properties = {};
  const Device& described = Machine::instance().device(device);
  std::snprintf(properties->name, sizeof properties->name, "%s", described.model.name.c_str());
  properties->totalGlobalMem = described.bytes;
  properties->major = described.model.major;
  properties->minor = described.model.minor;
  properties->multiProcessorCount = 132;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->sharedMemPerBlock = 48UL * 1024UL;
  properties->l2CacheSize = 50 * 1024 * 1024;
  properties->pciBusID = device + 1;
  properties->canMapHostMemory = 1;
  properties->unifiedAddressing = 1;
  properties->concurrentKernels = 1;
  properties->asyncEngineCount = 3;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (const auto status = check_device(device); status != cudaSuccess) return returned(status);
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = 0;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrClockRate:
      *value = 1'980'000;
      break;  // kHz, of an H200
    case cudaDevAttrL2CacheSize:
      *value = 50 * 1024 * 1024;
      break;
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
    case cudaDevAttrHostNativeAtomicSupported:
      *value = 1;
      break;
    default:
      return returned(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

/// Registers are not emulated: as many as of a kernel that needs 64.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int threads,
                                                          std::size_t) {
  *blocks = 1024 / threads;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int device) {
  if (const auto status = check_device(device); status != cudaSuccess) return returned(status);
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02x:00.0",
                static_cast<unsigned>(device + 1));
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (check_device(device) != cudaSuccess || check_device(peer) != cudaSuccess) {
    return returned(cudaErrorInvalidDevice);
  }
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (check_device(peer) != cudaSuccess || peer == current_device()) {
    return returned(cudaErrorInvalidDevice);
  }
  if (flags != 0) return returned(cudaErrorInvalidValue);
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  Device& here = Machine::instance().device(current_device());
  if (!here.peers.contains(peer) && static_cast<int>(here.peers.size()) >= here.peers_at_most) {
    return returned(cudaErrorTooManyPeers);
  }
  const bool added = here.peers.insert(peer).second;
  return returned(added ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaDeviceReset() {
  if (const auto status = check_device(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  if (in_host_function()) return returned(cudaErrorNotPermitted);
  Machine::instance().reset(current_device());
  last_error() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  for (const auto& stream : Machine::instance().streams_of(current_device())) stream->wait();
  return returned(callable(current_device()));
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver_version();
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  return returned(Machine::instance().allocate(bytes, current_device(), data));
}

cudaError_t cudaFree(void* data) {
  if (in_host_function()) return returned(cudaErrorNotPermitted);
  if (data == nullptr) return cudaSuccess;
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  std::size_t behind = 0;
  const Allocation block = Machine::instance().block_of(data, &behind);
  if (behind != 0 && block.device >= 0) {  // as in the real runtime
    for (const auto& stream : Machine::instance().streams_of(block.device)) stream->wait();
  }
  const auto status = Machine::instance().free(data, false);
  return returned(status != cudaSuccess ? status : callable(current_device()));
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  const Device& device = Machine::instance().device(current_device());
  const std::size_t used = device.used;
  *total = device.bytes;
  *free = *total > used ? *total - used : 0;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  if (const auto status = callable(current_device()); status != cudaSuccess) {
    return returned(status);
  }
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  return returned(Machine::instance().allocate(bytes, -1, data));
}

cudaError_t cudaFreeHost(void* data) {
  if (const auto status = not_capturing(); status != cudaSuccess) return returned(status);
  return returned(Machine::instance().free(data, true));
}

}  // extern "C"
