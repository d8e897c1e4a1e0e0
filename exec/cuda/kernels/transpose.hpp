// SPDX-License-Identifier: MIT
/// \file
/// Transposes matrices.
#pragma once
#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Writes the transpose of `from` [matrices][rows][columns] to `to` [matrices][columns][rows];
/// `adds`: adds it.
void transpose(const void* from, void* to, Element element, int matrices, int rows, int columns,
               bool adds, cudaStream_t stream);

}  // namespace paceline::cuda
