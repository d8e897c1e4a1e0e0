// SPDX-License-Identifier: MIT
#include "sim/devices/own_gpu.hpp"

#include <algorithm>

namespace paceline {

void OwnGpu::start(OpIndex op, Stream stream, const Command& command, double ps,
                   std::int64_t /*launched_ps*/) {
  begin_arithmetic(op, ps);
  if (stream.role < workers_ && command.is<Command::Compute>()) {
    computing_.push_back(op);
    schedule(op, time_.in_ps(round_ps(ps / speed_)));
  } else {
    schedule(op, time_.in_ps(round_ps(ps)));
  }
}

void OwnGpu::release(OpIndex op) {
  if (!computing_.empty()) std::erase(computing_, op);
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
  for (const OpIndex op : computing_) {
    ArithmeticWork& work = arithmetic(op);
    work.left_ps = std::max(left_ps(op), 0.0);
    work.since_ps = time_.now().ps;
    schedule(op, time_.in_ps(round_ps(work.left_ps / speed)));
  }
  speed_ = speed;
}

}  // namespace paceline
