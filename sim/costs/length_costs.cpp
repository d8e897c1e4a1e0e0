// SPDX-License-Identifier: MIT
#include "sim/costs/length_costs.hpp"

#include <algorithm>
#include <iterator>

#include "models/sequence_length.hpp"
#include "sim/costs/calibrating_row.hpp"
#include "sim/costs/layer_cost.hpp"

namespace paceline {

void cost_of_lengths(Prediction& prediction, const GpuSpec& gpu) {
  if (prediction.lengths == nullptr) return;
  const Network& network = *prediction.point->network;
  Costs& costs = prediction.costs;
  costs.lengths = prediction.lengths;
  StepOnGpu step = step_on_gpu(*prediction.point);
  const std::vector<LayerTime> whole = layer_times(network, step, gpu, nullptr);
  const auto scaled = [](Seconds time, Seconds known, Seconds estimated) {
    return estimated > Seconds{} ? time * (known / estimated) : time;
  };
  for (const BatchShape& shape : prediction.lengths->shapes()) {
    const Network shorter = at_length(network, shape.length);
    step.batch = shape.items;
    const std::vector<LayerTime> times = layer_times(shorter, step, gpu, nullptr);
    ShapeCosts& one = costs.shapes.emplace_back();
    one.chance = shape.chance;
    for (std::size_t i = 0; i < times.size(); ++i) {
      one.forward.push_back(scaled(times[i].forward, costs.forward[i], whole[i].forward));
      one.backward.push_back(scaled(times[i].backward, costs.backward[i], whole[i].backward));
      one.loop_operations.push_back(shorter.layers[i].loop_operations);
    }
  }
}

namespace {

/// The time of a layer at `length`, linear between the lengths measured. `pass`: forward or
/// backward.
Seconds between(const std::vector<LengthTimes>& measured, std::vector<Seconds> LengthTimes::*pass,
                std::size_t layer, int length) {
  const auto after = std::ranges::lower_bound(measured, length, {}, &LengthTimes::length);
  if (after == measured.end()) return (measured.back().*pass)[layer];
  if (after == measured.begin()) return ((*after).*pass)[layer];
  const LengthTimes& before = *std::prev(after);
  const double way = static_cast<double>(length - before.length) / (after->length - before.length);
  const Seconds low = (before.*pass)[layer];
  return low + ((*after.*pass)[layer] - low) * way;
}

}  // namespace

void cost_of_lengths(Prediction& prediction, const NetworkProfile& measured) {
  if (prediction.lengths == nullptr) return;
  Costs& costs = prediction.costs;
  costs.lengths = prediction.lengths;
  for (const BatchShape& shape : prediction.lengths->shapes()) {
    const double items = static_cast<double>(shape.items) / measured.batch;
    const auto scaled = [&](Seconds whole, std::vector<Seconds> LengthTimes::*pass,
                            std::size_t layer) {
      const Seconds own = (measured.by_length.back().*pass)[layer];
      if (own <= Seconds{}) return whole;
      return whole * (items * (between(measured.by_length, pass, layer, shape.length) / own));
    };
    ShapeCosts& one = costs.shapes.emplace_back();
    one.chance = shape.chance;
    for (std::size_t i = 0; i < costs.forward.size(); ++i) {
      one.forward.push_back(scaled(costs.forward[i], &LengthTimes::forward, i));
      one.backward.push_back(scaled(costs.backward[i], &LengthTimes::backward, i));
      one.loop_operations.push_back(0);
    }
  }
}

}  // namespace paceline
