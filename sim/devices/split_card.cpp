// SPDX-License-Identifier: MIT
#include "sim/devices/split_card.hpp"

#include <algorithm>

#include "sim/devices/step_variation.hpp"

namespace paceline {

void SplitCard::start(OpIndex op, Stream stream, const Command& command, double ps,
                      std::int64_t launched_ps) {
  if (command.is<Command::Compute>()) {
    LayerWalk walk;
    walk.total_ps = ps;
    walk.not_before_ps = launched_ps;
    if (costs_.variation > 0) walk.pace = step_variation(costs_, command.work);
    operations_[op].work = walk;
  } else {
    begin_arithmetic(op, ps);
  }
  time_.push(EventKind::work_start, time_.in_ps(latency_.start_latency_ps(stream)), op,
             ++operations_[op].generation);
}

void SplitCard::go_on(OpIndex op) {
  if (walks(op)) {
    walk(op).since_ps = walk(op).layer_ps = time_.now().ps;
    begin_next_layer(op);
    return;
  }
  const bool worker = machine_.stream_of_operation(op).role < workers_;
  const CardMemory::Work work = memory_.over_parameters(worker, arithmetic(op).total_ps);
  if (!begin_layer(op, work, 1)) machine_.ended(op, Outcome::done);
}

/// Starts work if it takes any time.
bool SplitCard::begin_layer(OpIndex op, const CardMemory::Work& work, double pace) {
  if (work.bytes > 0) {
    operations_[op].flow =
        network_.start(work.route, work.bytes * pace, time_.now().ps, time_.flow(op));
  } else if (work.ps > 0) {
    schedule(op, time_.in_ps(round_ps(work.ps * pace)));
  } else {
    return false;
  }
  return true;
}

void SplitCard::report_layer(OpIndex op) {
  LayerWalk& walk = this->walk(op);
  Observer* const observer = machine_.observer_of_parts();
  const std::int64_t now_ps = time_.now().ps;
  if (observer != nullptr && walk.layer_ps < now_ps && !walk.waits) {
    const Command& command = machine_.command_of(op);
    const LayerRange& layers = command.as<Command::Compute>()->layers;
    const std::int32_t layer = nth_layer(layers, walk.begun - 1);
    observer->part(command.work, {layers.pass, layer, layer + 1}, Instant{walk.layer_ps},
                   time_.now());
  }
  walk.layer_ps = now_ps;
}

/// Begins the next layer that takes time; after the last one, or where the operation is to stop,
/// ends it.
void SplitCard::begin_next_layer(OpIndex op) {
  const Command& command = machine_.command_of(op);
  const LayerRange& layers = command.as<Command::Compute>()->layers;
  const double slowdown = costs_.slowdown_of(command.work.worker);
  OperationState& operation = operations_[op];
  LayerWalk& walk = this->walk(op);
  while (!operation.stopping && walk.begun < layers.count()) {
    const CardMemory::Work& work = memory_.layer(layers.pass, nth_layer(layers, walk.begun++));
    if (begin_layer(op, work, walk.pace * std::min(1.0, slowdown))) return;
  }
  operation.flow = {};
  if (!operation.stopping && !walk.waits && stand_still(op, slowdown)) return;
  machine_.ended(op, Outcome::done);
}

/// A slow worker's group waits in proportion to what its layers took, and until their kernels have
/// been launched. False: there is nothing to wait for.
bool SplitCard::stand_still(OpIndex op, double slowdown) {
  LayerWalk& walk = this->walk(op);
  walk.waits = true;
  const std::int64_t now_ps = time_.now().ps;
  const double more = std::max(0.0, slowdown - 1) * static_cast<double>(now_ps - walk.since_ps);
  const std::int64_t end_ps = std::max(time_.in_ps(round_ps(more)), walk.not_before_ps);
  if (end_ps <= now_ps) return false;
  schedule(op, end_ps);
  return true;
}

void SplitCard::advance(OpIndex op) {
  if (walks(op)) {
    report_layer(op);
    begin_next_layer(op);
  } else {
    machine_.ended(op, Outcome::done);
  }
}

/// The layer under way goes on to its end; an operation that waits ends now.
void SplitCard::stop(OpIndex op, const LayerRange&) {
  const LayerWalk& walk = this->walk(op);
  if (walk.begun > 0 && !walk.waits) return;
  ++operations_[op].generation;  // its timer is stale
  machine_.ended(op, Outcome::cancelled);
}

void SplitCard::note_cut(OpIndex, const LayerRange&) {}

}  // namespace paceline
