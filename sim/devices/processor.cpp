// SPDX-License-Identifier: MIT
#include "sim/devices/processor.hpp"

#include <algorithm>

namespace paceline {

ArithmeticWork& Processor::begin_arithmetic(OpIndex op, double ps) {
  return operations_[op].work.emplace<ArithmeticWork>(ArithmeticWork{ps, ps, time_.now().ps, 0});
}

double Processor::stretch_of(OpIndex op, const LayerRange& layers) const {
  return arithmetic(op).total_ps /
         std::max(1.0, static_cast<double>(layers_.duration(layers, work_of(op))));
}

void Processor::stop(OpIndex op, const LayerRange& layers) {
  ArithmeticWork& work = arithmetic(op);
  const double left = left_ps(op);
  const double stretch = stretch_of(op, layers);
  const double done = work.total_ps - left;
  work.layers_ps = layers_.border_after(layers, work_of(op), round_ps(done / stretch));
  const double border = static_cast<double>(work.layers_ps) * stretch;
  work.left_ps = std::max(0.0, std::min(left, border - done));
  work.since_ps = time_.now().ps;
  restart(op, work.left_ps);
}

void Processor::note_cut(OpIndex op, const LayerRange& layers) {
  ArithmeticWork& work = arithmetic(op);
  const double stretch = stretch_of(op, layers);
  // arithmetic that was cancelled before had been going to end at a layer's border
  const double end =
      operations_[op].stopping ? static_cast<double>(work.layers_ps) * stretch : work.total_ps;
  work.layers_ps = round_ps(std::max(0.0, (end - left_ps(op)) / stretch));
}

}  // namespace paceline
