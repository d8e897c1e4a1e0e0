// SPDX-License-Identifier: MIT
#include "sim/costs/card_division.hpp"

#include <utility>
#include <vector>

#include "sim/costs/gpu_group.hpp"
#include "sim/costs/layer_traffic.hpp"
#include "training/workload/precision.hpp"
#include "training/workload/sm_groups.hpp"

namespace paceline {
namespace {

/// Moves the traffic of layers without a time to the next layer with one.
void carry_on(const std::vector<Seconds>& times, std::vector<Bytes>& traffic) {
  Bytes carried;
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    traffic[i] += carried;
    carried = {};
    if (times[i] == Seconds{}) std::swap(carried, traffic[i]);
  }
}

}  // namespace

CardDivision divide_card(const Experiment& experiment, const GpuSpec& card) {
  const auto& devices = experiment.devices;
  CardDivision division{card, std::nullopt};
  if (!devices || devices->split != Split::green) return division;
  const BytesPerSecond memory = usable_bandwidth(card);
  CardShares& shares = division.shares.emplace(CardShares{memory, memory, memory});
  if (card.sm_group_minimum == 0) return division;
  const SmGroups groups = sm_groups_of(*devices, card);
  if (groups.sms == 0) return division;
  division.worker = gpu_group(card, groups.sms);
  shares.worker_memory = usable_bandwidth(division.worker);
  switch (experiment.aggregation->placement()) {
    case ServerPlacement::sharded_gpus:
      shares.server_memory = shares.worker_memory;
      break;
    default:
      shares.server_memory =
          groups.servers > 0 ? usable_bandwidth(gpu_group(card, groups.servers)) : shares.memory;
  }
  return division;
}

void count_traffic(Costs& costs, const Experiment& experiment, const Network& network) {
  const Bytes element = element_size(experiment.precision);
  for (const Layer& layer : network.layers) {
    const LayerTraffic traffic = layer_traffic(layer, experiment.batch, element);
    costs.forward_traffic.push_back(traffic.forward);
    costs.backward_traffic.push_back(traffic.backward);
  }
  if (experiment.validation) {
    const int batch = experiment.validation->batch_or(experiment.batch);
    for (const Layer& layer : network.layers)
      costs.validation_traffic.push_back(layer_traffic(layer, batch, element).forward);
    carry_on(costs.validation, costs.validation_traffic);
  }
  carry_on(costs.forward, costs.forward_traffic);
  carry_on(costs.backward, costs.backward_traffic);
}

}  // namespace paceline
