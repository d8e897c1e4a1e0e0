// SPDX-License-Identifier: MIT
#include "training/learning/learning.hpp"

#include <limits>
#include <utility>

namespace paceline {

Learning::Learning(int workers, BufferPlan buffers, UpdateRule rule,
                   const std::vector<float>& initial, std::int64_t keep_every,
                   std::vector<std::unique_ptr<WorkerArithmetic>>& arithmetic)
    : buffers_(std::move(buffers), rule, initial, keep_every, store_),
      arithmetic_(arithmetic),
      losses_(static_cast<std::size_t>(workers), std::numeric_limits<double>::quiet_NaN()) {}

void Learning::compute(WorkId work, const LayerRange& layers, const std::function<bool()>& stop) {
  WorkerArithmetic& arithmetic = of(work.worker);
  arithmetic.compute(layers, work, buffers_.weights(work.worker), buffers_.gradient(work.worker),
                     stop);
  losses_[static_cast<std::size_t>(work.worker)] = arithmetic.last_loss();
}

void Learning::compute_whole(WorkId work) {
  static const std::function<bool()> kNever = [] { return false; };
  const std::int32_t layers = of(work.worker).layers();
  compute(work, {Pass::forward, 0, layers}, kNever);
  compute(work, {Pass::backward, 0, layers}, kNever);
}

}  // namespace paceline
