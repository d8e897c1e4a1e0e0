// SPDX-License-Identifier: MIT
#include <array>

#include "training/strategies/aggregations/scattering_server.hpp"
#include "training/strategies/optimizer_on_first_gpu.hpp"

namespace paceline {
namespace {

enum class WeightsPlacement : std::uint8_t { cpu, gpu };
std::span<const EnumName<WeightsPlacement>> enum_names(const WeightsPlacement*) {
  static constexpr std::array<EnumName<WeightsPlacement>, 2> kNames{
      {{"cpu", WeightsPlacement::cpu}, {"gpu", WeightsPlacement::gpu}}};
  return kNames;
}

}  // namespace

std::span<const EnumName<InputsOfWorkers>> enum_names(const InputsOfWorkers*) {
  static constexpr std::array<EnumName<InputsOfWorkers>, 3> kNames{
      {{"scattered", InputsOfWorkers::scattered},
       {"sliced", InputsOfWorkers::sliced},
       {"whole", InputsOfWorkers::whole}}};
  return kNames;
}

namespace {

/// The place of the optimizer's arithmetic and state.
enum class OptimizerPlacement : std::uint8_t { weights, first_gpu };
std::span<const EnumName<OptimizerPlacement>> enum_names(const OptimizerPlacement*) {
  static constexpr std::array<EnumName<OptimizerPlacement>, 2> kNames{
      {{"weights", OptimizerPlacement::weights}, {"first-gpu", OptimizerPlacement::first_gpu}}};
  return kNames;
}

/// The GPUs' predictions are put together and have one loss; each GPU goes backward through what it
/// went forward, and the gradients of the weights that all share are added where these are. The
/// loss is the mean over the whole batch, so nothing is averaged later: a sum's scale costs nothing
/// in the update. Bytes as of gather; with the optimizer on the first GPU as
/// optimizer_on_first_gpu.hpp says. After kuza55/keras-extras, make_parallel, with gradients
/// colocated with operations, where the weights are on the CPU.
class Concatenated final : public ScatteringServer {
 public:
  WeightsPlacement placement_key = WeightsPlacement::cpu;
  OptimizerPlacement optimizer_key = OptimizerPlacement::weights;
  InputsOfWorkers inputs_key = InputsOfWorkers::scattered;
  bool overlap_key = true;
  Bytes bucket_key{25.0 * 1048576};

  ServerPlacement placement() const override {
    return placement_key == WeightsPlacement::cpu ? ServerPlacement::cpu : ServerPlacement::gpu;
  }
  InputsOfWorkers inputs() const override { return inputs_key; }
  bool overlap() const override { return overlap_key; }
  Bytes bucket() const override { return bucket_key; }
  RoleBuffers buffers(const Plan& plan, RoleId role) const override {
    return distant() ? buffers_of_distant_weights(plan, role)
                     : ScatteringServer::buffers(plan, role);
  }
  bool is_sound(const Plan& plan, RoleId to, const Message& message) const override {
    return distant() ? is_message_of_distant_weights(plan, to, message)
                     : ScatteringServer::is_sound(plan, to, message);
  }
  Task<> program(const Plan& plan, Backend& backend, RoleId role) const override {
    if (!distant()) return ScatteringServer::program(plan, backend, role);
    return role < plan.workers ? worker_of_distant_weights(plan, backend, role)
                               : server_without_optimizer(plan, backend);
  }
  bool trains_only() const override { return distant(); }
  /// Whether the optimizer is elsewhere than the weights.
  bool distant() const {
    return optimizer_key == OptimizerPlacement::first_gpu && placement_key == WeightsPlacement::cpu;
  }
  static void describe(Description<Concatenated>& d) {
    d.optional("placement", &Concatenated::placement_key,
               "place of the batch, the weights and the loss: the CPU, or the first GPU");
    d.optional("optimizer", &Concatenated::optimizer_key,
               "place of the optimizer: where the weights are, or the first GPU, which fetches the "
               "summed gradients and returns the weights, as Keras 2 has it");
    d.optional("inputs", &Concatenated::inputs_key,
               "what each GPU gets of the batch: scattered, its share from where the weights are; "
               "sliced, its share from the host's memory; whole, all of it from there, to cut its "
               "share out");
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
