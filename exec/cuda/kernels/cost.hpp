// SPDX-License-Identifier: MIT
/// \file
/// The memory traffic of a kernel, stated where it is launched. Only the budget of a step reads it
/// (tests/exec/cuda/budget); a GPU never sees it.
#pragma once
#include <cstdint>

#include "exec/cuda/kernels/element.hpp"

namespace paceline::cuda {

/// Bytes are those of whole tensors: each counts once, however often the kernel loads it, and also
/// if a cache still holds it. A kernel that waits, or writes a word, has none.
struct Cost {
  const char* name = nullptr;  ///< null: the launch does not state its cost
  std::int64_t read = 0;       ///< bytes
  std::int64_t written = 0;    ///< bytes
  std::int64_t flops = 0;      ///< of products; 0 for kernels that memory bounds

  std::int64_t bytes() const { return read + written; }
};

/// Of a kernel that reads `inputs` tensors of `elements` numbers, and writes `outputs`.
constexpr Cost elementwise(const char* name, Element element, std::int64_t elements, int inputs,
                           int outputs) {
  const std::int64_t bytes = elements * bytes_of(element);
  return {name, inputs * bytes, outputs * bytes};
}

}  // namespace paceline::cuda
