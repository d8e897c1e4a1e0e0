// SPDX-License-Identifier: MIT
#include "training/strategies/collectives/all_reduce.hpp"

namespace paceline {
namespace {

/// NCCL on GPUs. The simulator models it as rings over the fastest links with NCCL's latencies and
/// protocol efficiency (sim/devices/nccl_rings.hpp).
class Nccl final : public AllReduce {
 public:
  Task<Reduced> reduce(const Plan& plan, Backend& backend, RoleId me, Slice slice,
                       Token ready) const override {
    if (plan.workers == 1) co_return Reduced{ready, ready};
    const Token done = backend.collective({me, StreamKind::push}, slice, plan.workers, ready);
    co_return Reduced{done, done};
  }
  bool native() const override { return true; }
  static void describe(Description<Nccl>&) {}
};

}  // namespace

Variant<AllReduce> nccl_all_reduce() {
  return variant<Nccl, AllReduce>("nccl", "NVIDIA's library, one call per bucket");
}

}  // namespace paceline
