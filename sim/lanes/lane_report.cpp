// SPDX-License-Identifier: MIT
#include "sim/lanes/lane_report.hpp"

#include <algorithm>
#include <limits>

#include "training/runtime/operation_report.hpp"

namespace paceline {

void LaneReport::add(const LaneOperation& operation) {
  if (observer_ == nullptr) return;
  observer_->stands_for(workers_);
  const Command& command = operation.command;
  const std::size_t lanes = operation.begins.size();
  const std::int64_t step = command.work.step;
  if (command.work.worker >= 0 && step > last_step_) {
    last_step_ = step;
    add_begun(step, operation.begins);
  }
  if (const auto* compute = command.as<Command::Compute>()) {
    add_span(operation, Activity::compute, step);
    if (!ends_gradient(compute->layers)) return;
    constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t lane = 0; lane < lanes; ++lane)
      observer_->gradient_computed({static_cast<RoleId>(lane), step}, Instant{operation.ends[lane]},
                                   kNoLoss);
  } else if (command.is<Command::Delay>()) {
    add_span(operation, Activity::delay, step);
  } else if (const auto* sum = command.as<Command::Reduce>()) {
    if (sum->of_one_worker()) add_change(operation, 0);
  } else if (const auto* update = command.as<Command::Update>()) {
    add_change(operation, update->moment.version);
  } else if (const auto* assign = command.as<Command::Assign>()) {
    add_change(operation, assign->version);
  }
}

void LaneReport::add_span(const LaneOperation& operation, Activity activity, std::int64_t step) {
  for (std::size_t lane = 0; lane < operation.begins.size(); ++lane) {
    const std::int64_t begin = operation.begins[lane], end = operation.ends[lane];
    if (begin < end)
      observer_->span({static_cast<RoleId>(lane), step}, activity, Instant{begin}, Instant{end});
  }
}

void LaneReport::add_change(const LaneOperation& operation, std::int64_t version) {
  add_span(operation, Activity::compute, -1);
  if (version > 0) add_updated(version, operation.ends);
}

void LaneReport::add_begun(std::int64_t step, const LaneTimes& at) {
  if (observer_ == nullptr) return;
  observer_->stands_for(workers_);
  for (std::size_t lane = 0; lane < at.size(); ++lane)
    observer_->begun(static_cast<RoleId>(lane), step, Instant{at[lane]});
}

void LaneReport::add_updated(std::int64_t version, const LaneTimes& at) {
  if (observer_ == nullptr) return;
  observer_->stands_for(workers_);
  const auto last = static_cast<std::size_t>(std::ranges::max_element(at) - at.begin());
  const auto updated = [&](std::size_t lane) {
    observer_->updated(static_cast<RoleId>(lane), version, Instant{at[lane]});
  };
  for (std::size_t lane = 0; lane < at.size(); ++lane) {
    if (lane != last) updated(lane);
  }
  updated(last);
}

}  // namespace paceline
