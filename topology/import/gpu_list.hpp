// SPDX-License-Identifier: MIT
/// \file
/// Finds the names of GPUs in what people paste above a matrix.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "topology/import/matrix_words.hpp"

namespace paceline {

/// The names of GPUs by their numbers, from lines of `nvidia-smi -L` or torch's collect_env ("GPU
/// 0: NAME (UUID: ...)"), from "GPU0: NAME, 24564 MiB", and from the table of `nvidia-smi`, which
/// cuts long names off ("Tesla V100-SXM2..."). The first name of a number counts.
std::map<int, std::string> gpu_names(const std::vector<MatrixLine>& lines);

}  // namespace paceline
