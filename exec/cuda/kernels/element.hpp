// SPDX-License-Identifier: MIT
/// \file
/// The number format of a tensor in GPU memory.
#pragma once
#include <cstdint>

namespace paceline::cuda {

/// tf32 is not an element: its tensors are fp32, and the tensor cores round.
enum class Element : std::uint8_t { fp32, fp16, bf16 };
constexpr std::int64_t bytes_of(Element element) {
  return element == Element::fp32 ? 4 : 2;
}

}  // namespace paceline::cuda
