// SPDX-License-Identifier: MIT
/// \file
/// Sets of processors as topology files write them.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace paceline {

/// The first and the last processor of each range of a list, "0-3,8"; none where it is no list.
std::vector<std::pair<int, int>> processor_ranges(const std::string& list);

/// Cores in a list of processors, "0-19,40-59": two ranges of one length are the two threads of
/// each core. 0 where it is no list, or of a single processor, which says too little of a socket.
int cores_in_list(const std::string& list);

/// Cores in a mask, "000000ff,ffff0000,00ffffff" with the highest processors first: likewise.
int cores_in_mask(const std::string& mask);

}  // namespace paceline
