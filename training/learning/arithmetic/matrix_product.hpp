// SPDX-License-Identifier: MIT
/// \file
/// The product of two row-major matrices in plain arrays.
#pragma once
#include <cstdint>

namespace paceline {

/// A matrix in memory: `row` elements from the start of one row to the start of the next.
/// `transposed`: the product uses its transpose.
struct MatrixView {
  const float* data;
  std::int64_t row;
  bool transposed = false;
};

/// C [rows x columns] = A B + `keep` x C, with sums over `inner`; the rows of C start `c_row`
/// elements apart. Stays on one thread only while a SingleThread lives. Throws std::runtime_error
/// if oneDNN refuses.
void product(std::int64_t rows, std::int64_t columns, std::int64_t inner, MatrixView a,
             MatrixView b, float* c, std::int64_t c_row, float keep = 0);

}  // namespace paceline
