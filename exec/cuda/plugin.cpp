// SPDX-License-Identifier: MIT
// The only exported function of the plug-in (exec/plugin/accelerator.hpp).
#include <cstring>
#include <exception>

#include "exec/cuda/accelerator.hpp"

extern "C" __attribute__((visibility("default"))) paceline::Accelerator* paceline_accelerator(
    const char* abi) noexcept {
  if (abi == nullptr || std::strcmp(abi, paceline::accelerator_abi()) != 0) return nullptr;
  try {
    return paceline::cuda::make_accelerator().release();
  } catch (const std::exception&) {
    return nullptr;  // out of memory: exceptions must not cross the plug-in's boundary
  }
}
