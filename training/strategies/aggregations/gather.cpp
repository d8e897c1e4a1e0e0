// SPDX-License-Identifier: MIT
#include "training/strategies/aggregations/scattering_server.hpp"

namespace paceline {
namespace {

/// Everything is on the first GPU: the batch, the weights, the sum of the gradients and, by
/// default, the loss. Bytes between it and each other GPU: n of weights and the inputs there, n of
/// gradients and the outputs back, and the outputs' gradients there.
class Gather final : public ScatteringServer {
 public:
  LossPlacement loss_key = LossPlacement::server;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  ServerPlacement placement() const override { return ServerPlacement::gpu; }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  static void describe(Description<Gather>& d) {
    d.optional("loss", &Gather::loss_key, "GPUs that compute the loss");
    describe_travel(d);
  }

 private:
  LossPlacement loss() const override { return loss_key; }
};

}  // namespace

Variant<Aggregation> gather_aggregation() {
  return variant<Gather, Aggregation>(
      "gather", "the first GPU scatters the batch and the weights and gathers the gradients");
}

}  // namespace paceline
