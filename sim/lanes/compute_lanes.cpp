// SPDX-License-Identifier: MIT
#include "sim/lanes/compute_lanes.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "sim/devices/step_variation.hpp"
#include "training/runtime/operation_report.hpp"

namespace paceline {

ComputeLanes::ComputeLanes(const Costs& costs, const LayerClock& layers,
                           const OperationCosts& lengths, const LibraryLanes& library,
                           std::size_t lanes)
    : costs_(costs),
      layers_(layers),
      lengths_(lengths),
      library_(library),
      host_(costs),
      ends_(lanes) {
  const auto thread_of = [&](std::size_t lane) {
    return costs.dispatcher_of(static_cast<int>(lane));
  };
  for (std::size_t first = 0, last = 0; first < lanes; first = last) {
    while (last < lanes && thread_of(last) == thread_of(first)) ++last;
    groups_.emplace_back(first, last);
  }
}

void ComputeLanes::evaluate(std::span<LaneOperation> operations) {
  for (LaneOperation& operation : operations) {
    operation.begins.resize(ends_.size());
    operation.ends.resize(ends_.size());
  }
  if (costs_.launches_together()) {
    for (const auto& [first, last] : groups_) evaluate_together(operations, first, last);
    return;
  }
  for (LaneOperation& operation : operations) {
    for (std::size_t lane = 0; lane < ends_.size(); ++lane)
      carry_out(operation, lane, begin_of(operation, lane));
  }
}

/// Operations of several lanes in the order of their begins, and at one time of the lanes, as the
/// thread that launches kernels serves them.
void ComputeLanes::evaluate_together(std::span<LaneOperation> operations, std::size_t first,
                                     std::size_t last) {
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (std::size_t lane = first; lane < last && !operations.empty(); ++lane)
    turns.push({begin_of(operations.front(), lane), 0, lane, 0});
  while (!turns.empty()) {
    const Turn turn = turns.top();
    turns.pop();
    carry_out(operations[turn.next], turn.lane, turn.begin);
    const std::size_t next = turn.next + 1;
    if (next == operations.size()) continue;
    const std::int64_t begin = begin_of(operations[next], turn.lane);
    const bool again = begin == turn.begin && is_launched(operations[turn.next], turn.lane);
    const std::uint32_t wave = begin > turn.begin ? 0 : turn.wave;
    turns.push({begin, again ? wave + 1 : wave, turn.lane, next});
  }
}

std::int64_t ComputeLanes::begin_of(const LaneOperation& operation, std::size_t lane) const {
  std::int64_t begin = std::max(ends_[lane], (*operation.queued)[lane]);
  for (const LaneRow& after : operation.after) {
    if (after != nullptr) begin = std::max(begin, (*after)[lane]);
  }
  return begin;
}

std::int64_t ComputeLanes::delayed(const LaneOperation& delay, std::size_t lane,
                                   std::int64_t begin) const {
  const std::int64_t length = delay.draw != nullptr
                                  ? to_ps((*delay.draw)(static_cast<RoleId>(lane), delay.step))
                                  : delay.command.as<Command::Delay>()->ps;
  return length == 0 ? begin : later_ps(later_ps(begin, length), to_ps(costs_.timer_error));
}

void ComputeLanes::carry_out(LaneOperation& operation, std::size_t lane, std::int64_t begin) {
  const bool delays = operation.command.is<Command::Delay>();
  operation.begins[lane] = begin;
  operation.ends[lane] = ends_[lane] =
      delays ? delayed(operation, lane, begin) : arithmetic_end(operation, lane, begin);
}

bool ComputeLanes::is_launched(const LaneOperation& operation, std::size_t lane) const {
  const auto* compute = operation.command.as<Command::Compute>();
  if (compute == nullptr) return false;
  const LayerRange& layers = compute->layers;
  const WorkId work{static_cast<RoleId>(lane), operation.command.work.step};
  return !lengths_.takes_no_time(layers, work);
}

std::int64_t ComputeLanes::arithmetic_end(const LaneOperation& operation, std::size_t lane,
                                          std::int64_t begin) {
  const auto worker = static_cast<RoleId>(lane);
  const auto* compute = operation.command.as<Command::Compute>();
  if (compute == nullptr)
    return later_ps(
        begin, round_ps(lengths_.arithmetic_ps({worker, StreamKind::compute}, operation.command)));
  const LayerRange& layers = compute->layers;
  const WorkId work{worker, operation.command.work.step};
  const std::int64_t undisturbed = layers_.duration(layers, work);
  if (!is_launched(operation, lane)) return begin;
  const double variation = costs_.variation > 0 ? variation_of(work.step, lane) : 1;
  const double calls = costs_.dispatches(layers, layers_.shape_of(work));
  const std::int64_t launched = host_.launched_ps(worker, calls, Instant{begin});
  const double ps =
      lengths_.launched_ps(layers, lengths_.compute_ps(undisturbed, worker, variation),
                           static_cast<double>(launched - begin));
  return library_.end_of_layers(begin, ps);
}

/// Drawn once for all operations of a step.
double ComputeLanes::variation_of(std::int64_t step, std::size_t lane) {
  if (step != varied_step_) {
    varied_step_ = step;
    variation_.resize(ends_.size());
    for (std::size_t other = 0; other < ends_.size(); ++other)
      variation_[other] = step_variation(costs_, {static_cast<RoleId>(other), step});
  }
  return variation_[lane];
}

}  // namespace paceline
