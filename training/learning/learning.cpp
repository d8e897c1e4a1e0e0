// SPDX-License-Identifier: MIT
#include "training/learning/learning.hpp"

#include <limits>

namespace paceline {

Learning::Learning(const Plan& plan, UpdateRule rule, const std::vector<float>& initial,
                   std::int64_t keep_every,
                   std::vector<std::unique_ptr<WorkerArithmetic>>& arithmetic,
                   std::optional<int> process)
    : buffers_(plan, rule, initial, keep_every, store_, process),
      arithmetic_(arithmetic),
      losses_(static_cast<std::size_t>(plan.workers), std::numeric_limits<double>::quiet_NaN()) {}

void Learning::compute(const Command& command, const std::function<bool()>& stop) {
  const RoleId worker = command.work.worker;
  WorkerArithmetic& arithmetic = of(worker);
  arithmetic.compute(command.layers, command.work, buffers_.weights(worker),
                     buffers_.gradient(worker), stop);
  losses_[static_cast<std::size_t>(worker)] = arithmetic.last_loss();
}

void Learning::compute_whole(WorkId work) {
  static const std::function<bool()> kNever = [] { return false; };
  Command command;
  command.work = work;
  command.layers = {Pass::forward, 0, of(work.worker).layers()};
  compute(command, kNever);
  command.layers.pass = Pass::backward;
  compute(command, kNever);
}

}  // namespace paceline
