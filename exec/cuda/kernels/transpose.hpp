// SPDX-License-Identifier: MIT
/// \file
/// Matrices with their rows and columns exchanged.
#pragma once
#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// `to` [matrices][columns][rows] becomes what `from` [matrices][rows][columns] is, or more by it.
void transpose(const void* from, void* to, Element element, int matrices, int rows, int columns,
               bool adds, cudaStream_t stream);

}  // namespace paceline::cuda
