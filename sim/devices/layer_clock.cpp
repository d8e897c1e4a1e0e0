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
    : costs_(costs), validation_(running_sum(costs.validation)) {
  for (const ShapeCosts& shape : costs.shapes) {
    tables_.push_back({running_sum(shape.forward), running_sum(shape.backward)});
  }
  if (tables_.empty()) tables_.push_back({running_sum(costs.forward), running_sum(costs.backward)});
}

std::size_t LayerClock::drawn_shape(WorkId work) const {
  const auto worker = static_cast<std::size_t>(work.worker);
  if (worker >= last_.size()) last_.resize(worker + 1);
  Last& last = last_[worker];
  if (last.step != work.step) last = {work.step, costs_.shape_of(work)};
  return last.shape;
}

bool LayerClock::all_free() const {
  const auto free = [](const std::vector<std::int64_t>& sums) { return sums.back() == 0; };
  return free(validation_) && std::ranges::all_of(tables_, [&](const Table& table) {
           return free(table.forward) && free(table.backward);
         });
}

std::int64_t LayerClock::border_after(LayerRange layers, WorkId work, std::int64_t elapsed) const {
  const auto first = static_cast<std::size_t>(layers.first);
  const auto last = static_cast<std::size_t>(layers.last);
  if (layers.pass != Pass::backward) {
    const auto& before = sums(layers.pass, work);
    const auto border = std::lower_bound(before.begin() + layers.first,
                                         before.begin() + layers.last, before[first] + elapsed);
    return *border - before[first];
  }
  const auto& backward = sums(Pass::backward, work);
  // backward starts at the end: `elapsed` has come down from sums[last]
  std::size_t layer = last;
  while (layer > first && backward[last] - backward[layer] < elapsed) --layer;
  return backward[last] - backward[layer];
}

double LayerClock::stretch(LayerRange layers, WorkId work, double total_ps) const {
  return total_ps / std::max(1.0, static_cast<double>(duration(layers, work)));
}

LayerClock::Cut LayerClock::cut(LayerRange layers, WorkId work, double total_ps,
                                double left_ps) const {
  const double stretched = stretch(layers, work, total_ps);
  const double done = total_ps - left_ps;
  const std::int64_t border_ps = border_after(layers, work, round_ps(done / stretched));
  const double border = static_cast<double>(border_ps) * stretched;
  return {border_ps, std::max(0.0, std::min(left_ps, border - done))};
}

std::vector<LayerClock::Turn> LayerClock::turns(LayerRange layers, WorkId work,
                                                std::int64_t elapsed) const {
  std::vector<Turn> turns;
  std::int64_t at = 0;
  for (std::int32_t i = 0; i < layers.last - layers.first && at < elapsed; ++i) {
    const std::int32_t layer = nth_layer(layers, i);
    const std::int64_t begin = at;
    at += duration({layers.pass, layer, layer + 1}, work);
    if (at > begin) turns.push_back({layer, begin, at});
  }
  return turns;
}

}  // namespace paceline
