// SPDX-License-Identifier: MIT
/// \file
/// The product of two matrices in plain arrays, row after row.
#pragma once
#include <cstdint>

namespace paceline {

/// A matrix as it lies in memory: `row` elements from the begin of a row to that of the next.
/// `transposed`: the product takes its transpose.
struct MatrixView {
  const float* data;
  std::int64_t row;
  bool transposed = false;
};

/// C [rows x columns] = A B + `keep` x C, with sums over `inner`; C's rows are `c_row` elements
/// apart. On one thread only while a SingleThread lives. Throws std::runtime_error if oneDNN
/// refuses.
void product(std::int64_t rows, std::int64_t columns, std::int64_t inner, MatrixView a,
             MatrixView b, float* c, std::int64_t c_row, float keep = 0);

}  // namespace paceline
