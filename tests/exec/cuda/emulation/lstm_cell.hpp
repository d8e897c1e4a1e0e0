// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic of the emulated one-layer LSTM, in fp32. With x(t), h(t-1), c(t-1):
///   i, f, o = sigmoid(W x + R h + b),  g = tanh(W x + R h + b),  c = f c' + i g,  h = o tanh(c).
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tests/exec/cuda/emulation/numbers.hpp"

namespace paceline::cuda::emulation {

inline constexpr int kGates = 4;  ///< i, f, g, o

/// Where the weights of a layer lie in its space, in numbers: biases first, then the matrices of
/// the input, then the recurrent ones (the real library has another order, which nobody may count
/// on).
struct LstmWeights {
  std::int64_t inputs = 0;
  std::int64_t units = 0;
  bool input_bias = true;
  bool recurrent_bias = true;

  std::int64_t biases() const { return (input_bias ? kGates : 0) + (recurrent_bias ? kGates : 0); }
  /// Of gate 0 to 3 with the input, 4 to 7 recurrent; -1: there is none.
  std::int64_t bias(int gate) const;
  std::int64_t matrix(int gate) const;
  std::int64_t numbers() const { return matrix(2 * kGates); }
};

/// Sequences in memory.
struct LstmSequences {
  Number number = Number::fp32;
  bool batch_major = false;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t width = 0;
  std::vector<int> lengths;
  float padding = 0.0F;

  std::int64_t at(std::int64_t item, std::int64_t step) const {
    return (batch_major ? item * steps + step : step * batch + item) * width;
  }
};

/// All that a pass reads and writes; null pointers as cuDNN takes them.
struct LstmPass {
  LstmWeights layout;
  LstmSequences xs, ys;
  const void* weights = nullptr;
  void* reserve = nullptr;

  /// fp32 numbers that forward leaves for backward: gates, c, and the gates' gradients.
  static std::int64_t reserve_numbers(const LstmWeights& layout, const LstmSequences& xs) {
    return xs.steps * xs.batch * layout.units * (2 * kGates + 1);
  }

  void forward(const void* x, void* y, const void* hx, void* hy, const void* cx, void* cy,
               bool keeps) const;
  /// Writes dx, dhx, dcx.
  void backward_data(const void* dy, const void* dhy, void* dx, const void* cx, void* dhx,
                     const void* dcy, void* dcx) const;
  /// Adds to the gradients of the weights.
  void backward_weights(const void* x, const void* hx, const void* y, void* gradients) const;
};

}  // namespace paceline::cuda::emulation
