// SPDX-License-Identifier: MIT
/// \file
/// The rings that NCCL would lay through a machine: cycles over all GPUs on the fastest links, as
/// many as the links carry. The first has the largest bottleneck; further ones use only NVLinks
/// that are still free. Source: NCCL's ring search (src/graph/search.cc) in outline.
#pragma once
#include <vector>

#include "topology/machine.hpp"
#include "training/experiment/software/software.hpp"

namespace paceline {

struct NcclRings {
  /// Each ring is an order of the workers 0..ranks-1; data goes from each to the next.
  std::vector<std::vector<int>> rings;
};

/// \param vertices the machine's vertex of every rank
/// `by_rank` lays one ring in the order of the ranks. Else up to 8 ranks are searched exhaustively;
/// more keep the order of their numbers.
NcclRings find_nccl_rings(const Machine& machine, const std::vector<int>& vertices,
                          RingOrder order);

}  // namespace paceline
