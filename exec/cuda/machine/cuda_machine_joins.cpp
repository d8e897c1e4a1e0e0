// SPDX-License-Identifier: MIT
// The two passes of a mini-batch as one launch. A strategy queues them one after the other, without
// a decision between them; so a forward pass is held back while the roles run, and is handed over
// with the backward pass, or alone once no role can go on.
#include <algorithm>
#include <utility>

#include "exec/cuda/machine/cuda_machine.hpp"

namespace paceline::cuda {

/// Whether the next operation is a forward pass behind which a backward pass may still come.
bool CudaMachine::is_held_back(const Lane& lane) const {
  if (!joins_ || !roles_run_ || lane.waiting.size() > 1) return false;
  const auto* next = command(lane.waiting.front()).as<Command::Compute>();
  return next != nullptr && next->layers.pass == Pass::forward;
}

/// Whether the next operation is a forward pass, and that after it the backward pass through the
/// same layers, which waits for nothing else.
bool CudaMachine::goes_with_next(const Lane& lane) {
  if (!joins_ || lane.waiting.size() < 2) return false;
  const OpIndex first = lane.waiting[0], second = lane.waiting[1];
  const auto* forward = command(first).as<Command::Compute>();
  const auto* backward = command(second).as<Command::Compute>();
  if (forward == nullptr || forward->layers.pass != Pass::forward) return false;
  if (backward == nullptr || backward->layers.pass != Pass::backward) return false;
  return forward->layers.first == backward->layers.first &&
         forward->layers.last == backward->layers.last &&
         std::ranges::all_of(progress(second).awaited,
                             [this](Token token) { return complete(source_of(token)); });
}

/// Hands over both passes. An operation that waits for the first waits for both: only the end of
/// the second can be waited for.
void CudaMachine::hand_both(Lane& lane) {
  const OpIndex forward = lane.waiting[0], backward = lane.waiting[1];
  const WorkId work = command(forward).work;
  const LayerRange layers = command(forward).as<Command::Compute>()->layers;
  make_ready(lane);
  Piece first;
  first.op = forward;
  first.with_next = true;
  open(lane, first);
  first.end = event(lane.device);
  {
    const auto current = site_.streams->enter(lane.stream);
    const ProfilerRange range(profiled() ? range_name_of_both(lane.stream.role, layers) : "");
    step_ranges_.note(work, layers);
    site_.passes[static_cast<std::size_t>(work.worker)]->queue_both(layers, work, *first.end);
  }
  lane.in_flight.push_back(std::move(first));
  Piece second;
  second.op = backward;
  close(lane, std::move(second));
  cudaEvent_t end = progress(backward).end;
  progress(forward).end = end;
  lane.waiting.erase(lane.waiting.begin(), lane.waiting.begin() + 2);
  note_handed_over(forward);
  note_handed_over(backward);
}

bool CudaMachine::begin_held_back() {
  if (!joins_) return false;
  Lane& lane = lane_of({0, StreamKind::compute});
  const std::size_t waiting = lane.waiting.size();
  if (waiting == 0) return false;
  roles_run_ = false;
  hand_what_may(lane);
  roles_run_ = true;
  return lane.waiting.size() < waiting;
}

}  // namespace paceline::cuda
