// SPDX-License-Identifier: MIT
#include "sim/costs/costs.hpp"

#include <algorithm>
#include <numeric>

#include "training/workload/random/draw.hpp"

namespace paceline {
namespace {

Seconds sum_of(const std::vector<Seconds>& times) {
  return std::accumulate(times.begin(), times.end(), Seconds{});
}

}  // namespace

Seconds UpdateKernels::of(const Slice& slice) const {
  const auto first = std::ranges::lower_bound(tensors, slice.begin);
  return launch * static_cast<double>(std::lower_bound(first, tensors.end(), slice.end) - first);
}

Seconds Costs::forward_total() const {
  return sum_of(forward);
}

Seconds Costs::backward_total() const {
  return sum_of(backward);
}

bool Costs::own_processors() const {
  if (launches_together() && !std::ranges::is_sorted(computers)) return false;
  const bool shared = cores > 0 || shared_card >= 0 || groups;
  const bool handled = handling > Seconds{} || operation_start > Seconds{};
  return !shared && !handled && !processes.several() && !one_copy_engine;
}

Seconds Costs::arithmetic(int worker) const {
  if (shapes.empty()) return (forward_total() + backward_total()) * slowdown_of(worker);
  Seconds mean;
  for (const ShapeCosts& shape : shapes) {
    mean += (sum_of(shape.forward) + sum_of(shape.backward)) * shape.chance;
  }
  return mean * slowdown_of(worker);
}

Seconds Costs::arithmetic_of(WorkId work) const {
  if (shapes.empty()) return arithmetic(work.worker);
  const ShapeCosts& shape = shapes[shape_of(work)];
  return (sum_of(shape.forward) + sum_of(shape.backward)) * slowdown_of(work.worker);
}

void Costs::scale_arithmetic(double factor) {
  const auto scale = [factor](std::vector<Seconds>& times) {
    for (Seconds& time : times) time = time * factor;
  };
  scale(forward);
  scale(backward);
  scale(validation);
  for (ShapeCosts& shape : shapes) {
    scale(shape.forward);
    scale(shape.backward);
  }
}

std::size_t Costs::shape_of(WorkId work) const {
  if (lengths == nullptr) return 0;
  std::vector<int> drawn;
  return lengths->draw(seed_of_repeat(seed, repeat), work.worker, work.step, drawn).shape;
}

double Costs::dispatches(const LayerRange& layers, std::size_t shape) const {
  if (!forward_kernels.empty()) {
    const auto& kernels = layers.pass == Pass::backward ? backward_kernels : forward_kernels;
    return std::accumulate(kernels.begin() + layers.first, kernels.begin() + layers.last, 0.0);
  }
  if (loop_operations.empty()) return layers.count();
  const auto& operations = shapes.empty() ? loop_operations : shapes[shape].loop_operations;
  double sum = 0;
  for (std::int32_t i = layers.first; i < layers.last; ++i) {
    sum += static_cast<double>(std::max(std::int64_t{1}, operations[static_cast<std::size_t>(i)]));
  }
  return sum;
}

bool Costs::loops(const LayerRange& layers) const {
  return !loop_operations.empty() &&
         std::any_of(loop_operations.begin() + layers.first, loop_operations.begin() + layers.last,
                     [](std::int64_t operations) { return operations > 0; });
}

}  // namespace paceline
