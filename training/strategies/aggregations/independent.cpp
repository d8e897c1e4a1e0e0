// SPDX-License-Identifier: MIT
#include "training/strategies/aggregations/aggregation.hpp"
#include "training/strategies/own_weights.hpp"

namespace paceline {
namespace {

/// Every worker trains on its own, without any transfer. Its steps with P workers last longer than
/// with one only by the contention for devices, memory and input.
class Independent final : public Aggregation {
 public:
  int shards(int, int) const override { return 0; }
  bool replicas() const override { return true; }
  bool serves(const UpdatePolicy&) const override { return false; }
  bool exchanges() const override { return false; }
  RoleBuffers buffers(const Plan& plan, RoleId) const override {
    return worker_buffers(plan, true);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    return independent_worker(plan, backend, role);
  }
  static void describe(Description<Independent>&) {}
};

}  // namespace

Variant<Aggregation> independent_aggregation() {
  return variant<Independent, Aggregation>("independent", "workers that exchange nothing");
}

}  // namespace paceline
