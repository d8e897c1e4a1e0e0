// SPDX-License-Identifier: MIT
#include "sim/devices/copy_engine.hpp"

#include <algorithm>

namespace paceline {

bool CopyEngine::start(OpIndex op, Stream stream, const Command::Copy& copy) {
  const Costs& costs = context_.costs;
  Path& path = paths_.between(copy.from.role, copy.to.role);
  if (path.free) return false;
  OperationState& operation = context_.operations[op];
  Transfer& transfer = operation.work.emplace<Transfer>();
  transfer.path = &path;
  transfer.amount = copy.slice.bytes * path.per_byte;
  std::int64_t wait_ps = later_ps(path.latency_ps, request_ps(path, stream, copy));
  if (cores_.shared()) {
    transfer.amount += cores_.passing_on(stream).value() / costs.precedence;
    // the measured times of the memory begin with the request of a copy
    if (path.request_ps == 0) {
      const std::int64_t ready_ps = later_ps(wait_ps, cores_.start_latency_ps(stream));
      wait_ps = std::max<std::int64_t>(0, ready_ps - to_ps(costs.operation_start));
    }
    cores_.take(operation, stream);
  }
  if (wait_ps > 0) {
    Timeline& time = context_.time;
    time.push_in_lane(0, EventKind::transfer_start, time.in_ps(wait_ps), op);
  } else {
    go_on(op);
  }
  return true;
}

/// Of a copy between processes. A push is over when its bytes have come: the stream goes on before
/// its sender knows.
std::int64_t CopyEngine::request_ps(const Path& path, Stream stream,
                                    const Command::Copy& copy) const {
  if (path.request_ps == 0) return 0;
  // the measured times of TCP begin when the stream's thread is awake
  const bool fetches = copy.from.role != stream.role;
  return later_ps(cores_.start_latency_ps(stream), fetches ? path.request_ps : 0);
}

void CopyEngine::go_on(OpIndex op) {
  const int number = transfer(op).path->engine;
  if (number >= 0) {
    Engine& engine = engines_[static_cast<std::size_t>(number)];
    if (engine.busy) return engine.waiting.push_back(op);
    engine.busy = true;
  }
  start_flow(op);
}

void CopyEngine::start_flow(OpIndex op) {
  ++flows_;
  const Transfer& copy = transfer(op);
  context_.operations[op].flow = context_.network.start(
      copy.path->route, copy.amount, context_.time.now().ps, context_.time.flow(op));
}

void CopyEngine::release(OpIndex op) {
  const int number = transfer(op).path->engine;
  if (number < 0) return;
  Engine& engine = engines_[static_cast<std::size_t>(number)];
  engine.busy = !engine.waiting.empty();
  if (!engine.busy) return;
  const OpIndex next = engine.waiting.front();
  engine.waiting.pop_front();
  start_flow(next);
}

}  // namespace paceline
