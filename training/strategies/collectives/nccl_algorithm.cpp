// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/nccl_algorithm.hpp"

#include <array>

namespace paceline {

namespace {

constexpr std::array<EnumName<NcclAlgorithm>, 6> kNames{{{"ring", NcclAlgorithm::ring},
                                                         {"tree", NcclAlgorithm::tree},
                                                         {"nvls", NcclAlgorithm::nvls},
                                                         {"nvls-tree", NcclAlgorithm::nvls_tree},
                                                         {"collnet", NcclAlgorithm::collnet},
                                                         {"pairs", NcclAlgorithm::pairs}}};

}  // namespace

std::span<const EnumName<NcclAlgorithm>> enum_names(const NcclAlgorithm*) {
  return std::span(kNames).first(kNames.size() - 1);
}

std::string_view name_of(NcclAlgorithm algorithm) {
  return kNames[static_cast<std::size_t>(algorithm)].name;
}

}  // namespace paceline
