// SPDX-License-Identifier: MIT
// With B items, T steps, C features in and H units, e bytes an element; every product of an
// [m x k] and a [k x n] matrix counts 2 m k n. Elements moved:
//   forward inputs      X, A written, W:                    B T (C + 4 H) + 4 H C
//   forward steps       T x (R + B times: A read and the gates written, 8 H; the state before and
//                       the output before, 2 H; both written, 2 H)
//   backward steps      T x (R + B times: gates read and A's gradient written, 8 H; two states, the
//                       output's gradient, and what is passed from step to step, read and written:
//                       7 H)
//   backward products   A's gradient three times, X, Y, X's gradient; W, and both weights'
//   gradients
// Not counted: the microseconds of each step's kernel launch, where a library does not run the
// whole chain in one kernel; the biases.
#include "sim/costs/lstm_work.hpp"

namespace paceline {

LstmWork lstm_work(const Layer& layer, int batch, Bytes element) {
  const double items = batch;
  const double steps = layer.in.height;
  const double features = layer.in.channels;
  const double units = layer.out.channels;
  const double input_weights = 4 * units * features;
  const double recurrent_weights = 4 * units * units;
  const double rows = items * steps;
  const Flops inputs{2 * rows * input_weights};
  const Flops recurrent{2 * rows * recurrent_weights};
  LstmWork work;
  work.forward_inputs = {inputs, element * (rows * (features + 4 * units) + input_weights)};
  work.forward_steps = {recurrent, element * (rows * 12 * units + steps * recurrent_weights)};
  work.backward_steps = {recurrent, element * (rows * 15 * units + steps * recurrent_weights)};
  work.backward_products = {
      inputs * 2.0 + recurrent,
      element * (rows * (13 * units + 2 * features) + 2 * input_weights + recurrent_weights)};
  return work;
}

}  // namespace paceline
