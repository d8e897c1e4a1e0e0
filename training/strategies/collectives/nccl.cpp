// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {
namespace {

/// NCCL on GPUs. The simulator models it as rings over the fastest links with NCCL's latencies and
/// protocol efficiency (sim/devices/nccl_rings.hpp).
class Nccl final : public AllReduce {
 public:
  bool native() const override { return true; }
  static void describe(Description<Nccl>&) {}
};

}  // namespace

Variant<AllReduce> nccl_all_reduce() {
  return variant<Nccl, AllReduce>("nccl", "NVIDIA's library, one call per bucket");
}

}  // namespace paceline
