// SPDX-License-Identifier: MIT
#include "sim/devices/shared_processor.hpp"

namespace paceline {

void SharedProcessor::start(OpIndex op, Stream stream, const Command& command, double ps,
                            std::int64_t /*launched_ps*/) {
  ArithmeticWork& work = begin_arithmetic(op, ps);
  const std::int64_t wait = cores_.start_latency_ps(stream);
  if (!cores_.goes_straight_on(stream)) {
    work.left_ps += static_cast<double>(to_ps(cores_.passing_on(stream)));
  }
  const Seconds slept = cores_.take(operations_[op], stream);
  if (command.is<Command::Compute>()) {
    work.left_ps += static_cast<double>(to_ps(cores_.after_sleep(slept)));
  }
  if (wait > 0) {
    time_.push(EventKind::work_start, time_.in_ps(wait), op, ++operations_[op].generation);
  } else {
    go_on(op);
  }
}

void SharedProcessor::go_on(OpIndex op) {
  operations_[op].flow = start_flow(op, arithmetic(op).left_ps);
}

double SharedProcessor::left_ps(OpIndex op) const {
  const FlowId flow = operations_.at(op).flow;
  if (flow.order == 0) return arithmetic(op).left_ps;
  return network_.remaining(flow, time_.now().ps) * 1e12;
}

void SharedProcessor::restart(OpIndex op, double ps) {
  OperationState& operation = operations_[op];
  if (operation.flow.order != 0) network_.cancel(operation.flow, time_.now().ps);
  ++operation.generation;
  operation.flow = start_flow(op, ps);
}

}  // namespace paceline
