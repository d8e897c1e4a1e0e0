// SPDX-License-Identifier: MIT
#include <array>

#include "training/strategies/aggregations/scattering_server.hpp"

namespace paceline {
namespace {

enum class WeightsPlacement : std::uint8_t { cpu, gpu };
std::span<const EnumName<WeightsPlacement>> enum_names(const WeightsPlacement*) {
  static constexpr std::array<EnumName<WeightsPlacement>, 2> kNames{
      {{"cpu", WeightsPlacement::cpu}, {"gpu", WeightsPlacement::gpu}}};
  return kNames;
}

/// The GPUs' predictions are put together and have one loss; each GPU goes backward through what it
/// went forward, and the gradients of the weights that all share are added where these are. The
/// loss is the mean over the whole batch, so nothing is averaged later: a sum's scale costs nothing
/// in the update. Bytes as of gather. After kuza55/keras-extras, make_parallel, with gradients
/// colocated with operations, where the weights are on the CPU.
class Concatenated final : public ScatteringServer {
 public:
  WeightsPlacement placement_key = WeightsPlacement::cpu;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  ServerPlacement placement() const override {
    return placement_key == WeightsPlacement::cpu ? ServerPlacement::cpu : ServerPlacement::gpu;
  }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  static void describe(Description<Concatenated>& d) {
    d.optional("placement", &Concatenated::placement_key,
               "place of the batch, the weights and the loss: the CPU, or the first GPU");
    describe_travel(d);
  }

 private:
  LossPlacement loss() const override { return LossPlacement::server; }
};

}  // namespace

Variant<Aggregation> concatenated_aggregation() {
  return variant<Concatenated, Aggregation>(
      "concatenated", "the outputs are put together for one loss, on the CPU or the first GPU");
}

}  // namespace paceline
