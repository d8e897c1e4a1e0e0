// SPDX-License-Identifier: MIT
/// \file
/// Where the rows of a product's matrices begin in memory: tensor cores are fed 16 bytes at a time.
#pragma once
#include <cstdint>
#include <initializer_list>

#include "experiments/language/units.hpp"

namespace paceline {

inline constexpr int kFullAlignment = 16;  ///< bytes

/// The largest power of two, up to 16 bytes, that divides the lengths of all rows.
/// \param lengths numbers in a row
/// \param pads  rows that begin at multiples of fewer bytes are padded
inline int row_alignment(std::initializer_list<double> lengths, Bytes element, Bytes pads) {
  const auto size = static_cast<std::int64_t>(element.value());
  std::int64_t bits = kFullAlignment;
  for (const double length : lengths) bits |= static_cast<std::int64_t>(length) * size;
  const auto alignment = static_cast<int>(bits & -bits);
  return Bytes{static_cast<double>(alignment)} < pads ? kFullAlignment : alignment;
}

}  // namespace paceline
