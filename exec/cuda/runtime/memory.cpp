// SPDX-License-Identifier: MIT
#include "exec/cuda/runtime/memory.hpp"

#include <cstring>
#include <string>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

std::string gigabytes(std::size_t bytes) {
  const auto tenths = static_cast<std::uint64_t>((static_cast<double>(bytes) + 5e7) / 1e8);
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

void* allocate_on_device(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    int device = 0;
    std::size_t free = 0;
    std::size_t total = 0;
    cudaGetDevice(&device);
    cudaMemGetInfo(&free, &total);
    throw Error("out of memory on GPU " + std::to_string(device) + ": " + gigabytes(bytes) +
                    " requested, " + gigabytes(free) + " of " + gigabytes(total) + " free",
                false);
  }
  check(status, "allocating device memory");
  return data;
}

void* allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* data = nullptr;
  check(cudaHostAlloc(&data, bytes, cudaHostAllocMapped | cudaHostAllocPortable),
        "allocating pinned memory");
  std::memset(data, 0, bytes);
  return data;
}

}  // namespace

DeviceMemory::DeviceMemory(std::size_t bytes) : OwnedMemory(allocate_on_device(bytes), bytes) {}

PinnedMemory::PinnedMemory(std::size_t bytes) : OwnedMemory(allocate_pinned(bytes), bytes) {}

void FreeDeviceMemory::operator()(void* data) const {
  cudaFree(data);  // errors are ignored: after a lost context nothing can be done about them
}

void FreePinnedMemory::operator()(void* data) const {
  cudaFreeHost(data);
}

void copy_now(void* to, const void* from, std::size_t bytes, const char* what) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), what);
  check(cudaStreamSynchronize(nullptr), what);
}

}  // namespace paceline::cuda
