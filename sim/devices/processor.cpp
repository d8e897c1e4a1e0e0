// SPDX-License-Identifier: MIT
#include "sim/devices/processor.hpp"

#include <algorithm>

namespace paceline {

ArithmeticWork& Processor::begin_arithmetic(OpIndex op, double ps) {
  return operations_[op].work.emplace<ArithmeticWork>(ArithmeticWork{ps, ps, time_.now().ps, 0});
}

double Processor::stretch_of(OpIndex op, const LayerRange& layers) const {
  return layers_.stretch(layers, work_of(op), arithmetic(op).total_ps);
}

void Processor::stop(OpIndex op, const LayerRange& layers) {
  ArithmeticWork& work = arithmetic(op);
  const LayerClock::Cut cut = layers_.cut(layers, work_of(op), work.total_ps, left_ps(op));
  work.layers_ps = cut.layers_ps;
  work.left_ps = cut.left_ps;
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
