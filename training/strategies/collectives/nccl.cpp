// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {
namespace {

/// NCCL on GPUs. The simulator models its choice of algorithm and protocol, and what these cost
/// (sim/nccl).
class Nccl final : public AllReduce {
 public:
  bool native() const override { return true; }
  std::optional<NcclAlgorithm> forced() const override { return force; }
  static void describe(Description<Nccl>& d) {
    d.optional("force", &Nccl::force,
               "the only algorithm (NCCL_ALGO); else NCCL chooses one for each size");
  }

  std::optional<NcclAlgorithm> force;
};

}  // namespace

Variant<AllReduce> nccl_all_reduce() {
  return variant<Nccl, AllReduce>("nccl", "NVIDIA's library, one call per bucket");
}

}  // namespace paceline
