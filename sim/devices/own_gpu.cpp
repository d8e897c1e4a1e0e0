// SPDX-License-Identifier: MIT
#include "sim/devices/own_gpu.hpp"

#include <algorithm>

namespace paceline {

void OwnGpu::start(OpIndex op, Stream stream, const Command& command, double ps,
                   std::int64_t /*launched_ps*/) {
  begin_arithmetic(op, ps);
  if (stream.role < workers_ && command.is<Command::Compute>()) {
    compute(op);
    schedule(op, time_.in_ps(round_ps(ps / speed_)));
  } else {
    schedule(op, time_.in_ps(round_ps(ps)));
  }
}

void OwnGpu::compute(OpIndex op) {
  if (place_.size() <= op) place_.resize(op + 1);
  place_[op] = computing_.size();
  computing_.push_back(op);
}

/// Leaves a hole: an erased element would move all that follow, once for every layer of a worker.
void OwnGpu::release(OpIndex op) {
  if (!computes(op)) return;
  computing_[place_[op]] = kEnded;
  ++ended_;
  if (ended_ > computing_.size() / 2) drop_ended();
}

void OwnGpu::drop_ended() {
  std::erase(computing_, kEnded);
  for (std::size_t i = 0; i < computing_.size(); ++i) place_[computing_[i]] = i;
  ended_ = 0;
}

double OwnGpu::left_ps(OpIndex op) const {
  const ArithmeticWork& work = arithmetic(op);
  return work.left_ps - static_cast<double>(time_.now().ps - work.since_ps) * speed_;
}

void OwnGpu::restart(OpIndex op, double ps) {
  schedule(op, time_.in_ps(round_ps(ps / speed_)));
}

void OwnGpu::set_speed(double speed) {
  if (speed == speed_) return;
  drop_ended();
  for (const OpIndex op : computing_) {
    ArithmeticWork& work = arithmetic(op);
    work.left_ps = std::max(left_ps(op), 0.0);
    work.since_ps = time_.now().ps;
    schedule(op, time_.in_ps(round_ps(work.left_ps / speed)));
  }
  speed_ = speed;
}

}  // namespace paceline
