// SPDX-License-Identifier: MIT
/// \file
/// How a number of a tensor is kept in a GPU's memory.
#pragma once
#include <cstdint>

namespace paceline::cuda {

/// tf32 is no element: tensors are fp32 and the matrix units round.
enum class Element : std::uint8_t { fp32, fp16, bf16 };
constexpr std::int64_t bytes_of(Element element) {
  return element == Element::fp32 ? 4 : 2;
}

}  // namespace paceline::cuda
