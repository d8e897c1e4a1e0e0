// SPDX-License-Identifier: MIT
#include "sim/devices/layer_clock.hpp"

#include <algorithm>

namespace paceline {
namespace {

std::vector<std::int64_t> running_sum(const std::vector<Seconds>& times) {
  std::vector<std::int64_t> sums{0};
  Seconds sum;
  for (const Seconds time : times) {
    sum += time;
    sums.push_back(to_ps(sum));
  }
  return sums;
}

}  // namespace

LayerClock::LayerClock(const Costs& costs)
    : forward_(running_sum(costs.forward)), backward_(running_sum(costs.backward)) {}

std::int64_t LayerClock::duration(LayerRange layers) const {
  const auto& sums = layers.pass == Pass::forward ? forward_ : backward_;
  return sums[static_cast<std::size_t>(layers.last)] - sums[static_cast<std::size_t>(layers.first)];
}

std::int64_t LayerClock::border_after(LayerRange layers, std::int64_t elapsed) const {
  const auto first = static_cast<std::size_t>(layers.first);
  const auto last = static_cast<std::size_t>(layers.last);
  if (layers.pass == Pass::forward) {
    const auto border = std::lower_bound(forward_.begin() + layers.first,
                                         forward_.begin() + layers.last, forward_[first] + elapsed);
    return *border - forward_[first];
  }
  // backward starts at the end: `elapsed` has come down from sums[last]
  std::size_t layer = last;
  while (layer > first && backward_[last] - backward_[layer] < elapsed) --layer;
  return backward_[last] - backward_[layer];
}

std::vector<LayerClock::Turn> LayerClock::turns(LayerRange layers, std::int64_t elapsed) const {
  std::vector<Turn> turns;
  std::int64_t at = 0;
  for (std::int32_t i = 0; i < layers.last - layers.first && at < elapsed; ++i) {
    const std::int32_t layer = nth_layer(layers, i);
    const std::int64_t begin = at;
    at += duration({layers.pass, layer, layer + 1});
    if (at > begin) turns.push_back({layer, begin, at});
  }
  return turns;
}

}  // namespace paceline
