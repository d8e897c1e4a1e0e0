// SPDX-License-Identifier: MIT
/// \file
/// Parses sets of processors in the notations of topology files.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace paceline {

/// The ranges (first and last processor) of a list such as "0-3,8"; empty if the text is not a
/// list.
std::vector<std::pair<int, int>> processor_ranges(const std::string& list);

/// The number of cores in a list of processors such as "0-19,40-59": two ranges of equal length are
/// the two threads of each core. 0 if the text is not a list or has a single processor, which says
/// too little about a socket.
int cores_in_list(const std::string& list);

/// The number of cores in a mask such as "000000ff,ffff0000,00ffffff", highest processors first;
/// otherwise as cores_in_list.
int cores_in_mask(const std::string& mask);

}  // namespace paceline
