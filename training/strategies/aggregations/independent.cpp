// SPDX-License-Identifier: MIT
#include "training/aggregations/aggregation.hpp"

namespace paceline {
namespace {

/// **Does** nothing is exchanged: each worker has its own clock and weights. What P of them take
/// longer than one is what they share besides communication. **Bytes per worker** 0.
class Independent final : public Aggregation {
 public:
  int shards(int, int) const override { return 0; }
  bool replicas() const override { return true; }
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
