// SPDX-License-Identifier: MIT
/// \file
/// The rings that NCCL would lay through a machine: cycles over all ranks, all of one speed, as
/// many as the links carry. Within a computer they use NVLinks alone if these connect all ranks.
/// Between computers, the rings enter and leave each of them such that they share its network cards
/// evenly. Source: NCCL's search (src/graph/search.cc, connect.cc) in outline.
#pragma once
#include <vector>

#include "topology/machine.hpp"
#include "training/experiment/software/software.hpp"

namespace paceline {

struct NcclRings {
  /// Each ring is an order of the ranks 0..P-1; data goes from each to the next.
  std::vector<std::vector<int>> rings;
  /// All rings together, each with an equal part of the bytes; infinite where no link is crossed.
  BytesPerSecond bandwidth;
  /// Of several computers: that of the rings within the computer that has the slowest.
  BytesPerSecond inside;
};

/// \param vertices the machine's vertex of every rank
/// \param computers by rank; empty: one computer
/// \param cost      its order of rings (`by_rank` lays one in the order of the ranks) and channels
NcclRings find_nccl_rings(const Machine& machine, const std::vector<int>& vertices,
                          const std::vector<int>& computers, const CollectiveCost& cost);

}  // namespace paceline
