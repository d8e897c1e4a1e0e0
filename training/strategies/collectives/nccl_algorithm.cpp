// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/nccl_algorithm.hpp"

#include <array>

namespace paceline {

std::span<const EnumName<NcclAlgorithm>> enum_names(const NcclAlgorithm*) {
  static constexpr std::array<EnumName<NcclAlgorithm>, 5> kNames{
      {{"ring", NcclAlgorithm::ring},
       {"tree", NcclAlgorithm::tree},
       {"nvls", NcclAlgorithm::nvls},
       {"nvls-tree", NcclAlgorithm::nvls_tree},
       {"collnet", NcclAlgorithm::collnet}}};
  return kNames;
}

}  // namespace paceline
