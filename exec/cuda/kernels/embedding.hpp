// SPDX-License-Identifier: MIT
/// \file
/// Rows of a table selected by token ids, and the table's gradient. A row's gradient is the sum
/// over its tokens in their order, so that results are bitwise reproducible.
#pragma once
#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

struct EmbeddingShape {
  Element ids_element =
      Element::fp32;  ///< ids are stored as numbers; fp16 and bf16 represent few of them
  Element element = Element::fp32;  ///< of all other tensors
  bool channels_last = false;       ///< [item][token][channel], else [item][channel][token]
  int items = 0;
  int tokens = 0;  ///< per item
  int channels = 0;
  int vocabulary = 0;

  std::int64_t all_tokens() const { return std::int64_t{items} * tokens; }
  /// Bytes of scratch memory for backward.
  std::size_t scratch_bytes() const;
};

/// A token with an id outside the table gives zeros and does not contribute to the gradient.
void embed(const EmbeddingShape& shape, const void* ids, const void* table, void* output,
           cudaStream_t stream);
/// Overwrites the whole gradient of the table.
void embed_backward(const EmbeddingShape& shape, const void* ids, const void* gradient,
                    void* table_gradient, void* scratch, cudaStream_t stream);

}  // namespace paceline::cuda
