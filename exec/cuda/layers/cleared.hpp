// SPDX-License-Identifier: MIT
/// \file
/// Device memory that begins as zeros.
#pragma once
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// Waits until it has been cleared. Throws Error.
DeviceMemory cleared(std::size_t bytes);

}  // namespace paceline::cuda
