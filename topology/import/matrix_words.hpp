// SPDX-License-Identifier: MIT
/// \file
/// The words of a pasted matrix, each with its place.
#pragma once
#include <string>
#include <vector>

namespace paceline {

struct MatrixWord {
  std::string text;
  int line = 0;
  int column = 0;
};

using MatrixLine = std::vector<MatrixWord>;

/// The lines of `text` as words. Escapes of a terminal for colour and underlining are left out.
std::vector<MatrixLine> matrix_lines(const std::string& text);

}  // namespace paceline
