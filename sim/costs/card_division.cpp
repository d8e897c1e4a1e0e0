// SPDX-License-Identifier: MIT
#include "training/cost/card_division.hpp"

#include <utility>
#include <vector>

#include "training/cost/gpu_group.hpp"
#include "training/cost/layer_traffic.hpp"
#include "training/cost/precision.hpp"
#include "training/sm_groups.hpp"

namespace paceline {
namespace {

SmGroups groups_of(const Devices& devices, const GpuSpec& card) {
  return divide_sms(card.sms, devices.virtual_gpus, card.sm_group_minimum, card.sm_group_multiple);
}

/// Moves what is counted where no time passes to the next layer that takes time.
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
  const SmGroups groups = groups_of(*devices, card);
  if (groups.sms == 0) return division;
  division.worker = gpu_group(card, groups.sms);
  shares.worker_memory = usable_bandwidth(division.worker);
  switch (experiment.aggregation->placement()) {
    case Placement::sharded_gpus:
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
  carry_on(costs.forward, costs.forward_traffic);
  carry_on(costs.backward, costs.backward_traffic);
}

std::string indivisible(const Devices& devices, const GpuSpec& card) {
  if (devices.split != Split::green) return "";
  if (card.sm_group_minimum == 0) {
    return card.name +
           " has no green contexts according to its file ('sm_group_minimum'; use split: streams)";
  }
  if (groups_of(devices, card).sms > 0) return "";
  return card.name + " can be split into at most " +
         std::to_string(card.sms / card.sm_group_minimum) + " groups of multiprocessors, not " +
         std::to_string(devices.virtual_gpus) + " (use split: streams)";
}

}  // namespace paceline
