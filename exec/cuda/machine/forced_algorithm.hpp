// SPDX-License-Identifier: MIT
/// \file
/// The only algorithm that NCCL may use, in the environment of this process.
#pragma once
#include <cstdlib>
#include <optional>

#include "training/strategies/collectives/nccl_algorithm.hpp"

namespace paceline::cuda {

/// NCCL reads the algorithm that it may use from its environment while ranks meet; what a user has
/// written there stays.
class ForcedAlgorithm {
 public:
  explicit ForcedAlgorithm(std::optional<NcclAlgorithm> forced)
      : set_(forced && std::getenv(kVariable) == nullptr) {
    if (set_) setenv(kVariable, in_environment(*forced), 1);
  }
  ~ForcedAlgorithm() {
    if (set_) unsetenv(kVariable);
  }
  ForcedAlgorithm(const ForcedAlgorithm&) = delete;
  ForcedAlgorithm& operator=(const ForcedAlgorithm&) = delete;

 private:
  static constexpr const char* kVariable = "NCCL_ALGO";

  static const char* in_environment(NcclAlgorithm algorithm) {
    switch (algorithm) {
      case NcclAlgorithm::ring:
        return "Ring";
      case NcclAlgorithm::tree:
        return "Tree";
      case NcclAlgorithm::nvls:
        return "NVLS";
      case NcclAlgorithm::nvls_tree:
        return "NVLSTree";
      case NcclAlgorithm::collnet:
        return "CollnetChain";
      case NcclAlgorithm::pairs:
        break;
    }
    return "";
  }

  bool set_;
};

}  // namespace paceline::cuda
