// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic of the emulated LSTM in fp32: one layer, one direction, initial states of zero.
/// With s the logistic function:
///   [i f g o] = W x(t) + R h(t-1) + b,  c(t) = s(f) c(t-1) + s(i) tanh(g),  h(t) = s(o)
///   tanh(c(t)).
#pragma once
#include <cstdint>

#include "tests/exec/cuda/emulation/numbers.hpp"

namespace paceline::cuda::emulation {

/// A layer and its sequences: inputs are [batch][steps][inputs], outputs [batch][steps][units].
struct Lstm {
  static constexpr int kGates = 4;  ///< i, f, g, o

  Number number = Number::fp32;
  std::int64_t inputs = 0;
  std::int64_t units = 0;
  std::int64_t batch = 0;
  std::int64_t steps = 0;

  std::int64_t gates() const { return kGates * units; }
  std::int64_t items() const { return batch * steps; }
  /// Offset of a gate's bias (gates 0 to 3) or matrix (0 to 3 of the input, 4 to 7 recurrent) in
  /// the weights, in numbers. The order of the real library is unspecified.
  std::int64_t bias(int gate) const { return gate * units; }
  std::int64_t matrix(int gate) const {
    return gate <= kGates ? gates() + gate * units * inputs
                          : matrix(kGates) + (gate - kGates) * units * units;
  }
  std::int64_t weights() const { return matrix(2 * kGates); }
  /// Size of the reserve in floats: the gates, c, and the gradients of the gates.
  std::int64_t reserve() const { return items() * (2 * gates() + units); }

  void forward(const void* weights, const void* x, void* y, float* reserve) const;
  /// Overwrites dx. Requires the reserve of forward().
  void backward_data(const void* weights, const void* dy, void* dx, float* reserve) const;
  /// Adds to the gradients of the weights. Requires the reserve of backward_data().
  void backward_weights(const void* x, const void* y, void* gradients, float* reserve) const;
};

}  // namespace paceline::cuda::emulation
