// SPDX-License-Identifier: MIT
// Arithmetic on a card that is split into groups of multiprocessors: layer after layer, each at the
// speed that the shared memory lets it have.
#include <algorithm>

#include "sim/devices/simulated_machine.hpp"
#include "sim/devices/step_variation.hpp"

namespace paceline {

bool SimulatedMachine::begin_on_group(OpIndex op, Stream stream, const Command& command) {
  Running& run = running_[op];
  run.by_layer = command.kind == Command::Kind::compute;
  if (run.by_layer) {
    if (walks_.size() < running_.size()) walks_.resize(running_.size());
    LayerWalk& walk = walks_[op];
    walk.begun = 0;
    walk.not_before_ps = costs_.dispatch > Seconds{} ? dispatcher_free_ps_ : now_.ps;
    walk.pace = costs_.variation > 0 ? step_variation(costs_, command.work) : 1;
  }
  agenda_.push(in_ps(start_latency_ps(stream)), core_start, op, ++run.generation);
  return false;
}

/// The operation's turn on its stream has come, and its latency is over.
void SimulatedMachine::begin_group_work(OpIndex op) {
  Running& run = running_[op];
  if (run.by_layer) {
    run.since_ps = walks_[op].layer_ps = now_.ps;
    begin_next_layer(op);
    return;
  }
  const bool worker = stream_of(op).role < workers_;
  const CardGroups::Work work = groups_->over_parameters(worker, run.total_ps);
  if (work.bytes > 0) {
    run.flow = network_.start(work.route, work.bytes, now_.ps, op);
  } else {
    schedule(op, in_ps(round_ps(work.ps)));
  }
}

/// The layer of a range that is the `turn`-th to run, from 0.
std::int32_t SimulatedMachine::layer_of(const LayerRange& layers, std::int32_t turn) {
  return layers.pass == Pass::forward ? layers.first + turn : layers.last - 1 - turn;
}

/// A layer has had its time: who wants to know is told.
void SimulatedMachine::report_layer(OpIndex op) {
  LayerWalk& walk = walks_[op];
  const LayerRange& layers = command(op).layers;
  if (parts_wanted() && walk.layer_ps < now_.ps && walk.begun <= layers.last - layers.first) {
    const std::int32_t layer = layer_of(layers, walk.begun - 1);
    observer()->part(command(op).work, {layers.pass, layer, layer + 1}, Instant{walk.layer_ps},
                     now_);
  }
  walk.layer_ps = now_.ps;
}

/// Begins the next layer that takes time; after the last one, or when it shall stop, the rest of
/// what a slow worker takes, and the end.
void SimulatedMachine::begin_next_layer(OpIndex op) {
  Running& run = running_[op];
  LayerWalk& walk = walks_[op];
  const Command& what = command(op);
  const LayerRange& layers = what.layers;
  const std::int32_t count = layers.last - layers.first;
  const double slowdown =
      costs_.slowdown.empty() ? 1 : costs_.slowdown[static_cast<std::size_t>(what.work.worker)];
  while (!run.stopping && walk.begun < count) {
    const std::int32_t done = walk.begun++;
    const CardGroups::Work& work = groups_->layer(layers.pass, layer_of(layers, done));
    const double pace = walk.pace * std::min(1.0, slowdown);
    if (work.bytes > 0) {
      run.flow = network_.start(work.route, work.bytes * pace, now_.ps, op);
      return;
    }
    if (work.ps > 0) {
      schedule(op, in_ps(round_ps(work.ps * pace)));
      return;
    }
  }
  run.flow = {};
  const bool waited = walk.begun > count;  // for the time below
  if (!run.stopping && !waited) {
    ++walk.begun;
    // a slow worker's card stands still in proportion, as where it is executed
    const double more = std::max(0.0, slowdown - 1) * static_cast<double>(now_.ps - run.since_ps);
    const std::int64_t end = std::max(in_ps(round_ps(more)), walk.not_before_ps);
    if (end > now_.ps) {
      schedule(op, end);
      return;
    }
  }
  ended(op, Outcome::done);
}

/// Cancelled: the layer under way goes on to its end; what only waits ends now.
void SimulatedMachine::stop_layers(OpIndex op) {
  const LayerRange& layers = command(op).layers;
  const std::int32_t begun = walks_[op].begun;
  if (begun > 0 && begun <= layers.last - layers.first) return;  // computing
  ++running_[op].generation;                                     // the timer is stale now
  ended(op, Outcome::cancelled);
}

void SimulatedMachine::advanced(OpIndex op) {
  if (running_[op].by_layer) {
    report_layer(op);
    begin_next_layer(op);
  } else {
    ended(op, Outcome::done);
  }
}

}  // namespace paceline
