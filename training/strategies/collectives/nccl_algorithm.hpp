// SPDX-License-Identifier: MIT
/// \file
/// The algorithms of NCCL's collectives, by the names of its NCCL_ALGO.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "experiments/language/value.hpp"

namespace paceline {

enum class NcclAlgorithm : std::uint8_t {
  ring,
  tree,       ///< two binary trees of computers, and a chain in each
  nvls,       ///< NVSwitches sum; between computers with SHARP
  nvls_tree,  ///< NVSwitches sum in a computer, two binary trees between computers
  collnet,    ///< the network's switches sum (SHARP)
  pairs,      ///< messages from each rank to each, of all-to-all
};
/// Those that a file can force.
std::span<const EnumName<NcclAlgorithm>> enum_names(const NcclAlgorithm*);
std::string_view name_of(NcclAlgorithm algorithm);

}  // namespace paceline
