// SPDX-License-Identifier: MIT
/// \file
/// The rings that NCCL's search finds among the GPUs of one computer.
#pragma once
#include <cstddef>
#include <vector>

#include "topology/machine.hpp"

namespace paceline {

using Ring = std::vector<int>;                     ///< an order of ranks
inline constexpr std::size_t kMostNcclRings = 32;  ///< NCCL's channels

/// The rings of the greatest bandwidth together, all of one speed, over NVLinks alone if these
/// connect all ranks; among equals those of highest speed. At least one.
/// \param vertices the machine's vertex of every rank
std::vector<Ring> best_rings(const Machine& machine, const std::vector<int>& vertices);

}  // namespace paceline
