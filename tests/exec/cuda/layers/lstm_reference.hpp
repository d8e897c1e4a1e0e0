// SPDX-License-Identifier: MIT
/// \file
/// One LSTM layer in double, as a reference. With s the logistic function,
///
///     [i f g o] = W x_t + R h_(t-1) + b,    c_t = s(f) c_(t-1) + s(i) tanh(g),
///     h_t = s(o) tanh(c_t),                 c and h begin at 0.
#pragma once
#include <cmath>
#include <vector>

#include "tests/exec/cuda/layers/on_device.hpp"

namespace paceline::cuda {

/// Tensors are [item][channel][time]; weights are W [4 units][inputs], then R [4 units][units].
class LstmReference {
 public:
  LstmReference(int batch, int inputs, int units, int steps, const Numbers& x, const Numbers& w,
                const Numbers& b, const Numbers& dy)
      : inputs_(size(inputs)),
        units_(size(units)),
        steps_(size(steps)),
        w_(w),
        b_(b),
        y_(size(batch) * units_ * steps_),
        dx_(x.size()),
        dw_(w.size()),
        db_(b.size()) {
    for (std::size_t item = 0; item < size(batch); ++item) {
      const std::vector<Step> steps_taken = forward(x, item);
      backward(x, dy, item, steps_taken);
    }
  }
  const Numbers& outputs() const { return y_; }
  const Numbers& data_gradient() const { return dx_; }
  const Numbers& weight_gradient() const { return dw_; }
  const Numbers& bias_gradient() const { return db_; }

 private:
  struct Step {
    Numbers gates;  ///< i, f, g, o after their activation functions: [4][units]
    Numbers cells;
    Numbers outputs;
  };

  static std::size_t size(int count) { return static_cast<std::size_t>(count); }
  static double logistic(double x) { return 1 / (1 + std::exp(-x)); }
  std::size_t place(std::size_t item, std::size_t channel, std::size_t t,
                    std::size_t channels) const {
    return (item * channels + channel) * steps_ + t;
  }
  std::size_t input_weight(std::size_t row, std::size_t column) const {
    return row * inputs_ + column;
  }
  std::size_t recurrent_weight(std::size_t row, std::size_t column) const {
    return 4 * units_ * inputs_ + row * units_ + column;
  }

  std::vector<Step> forward(const Numbers& x, std::size_t item) {
    std::vector<Step> steps;
    Numbers h(units_), c(units_);
    for (std::size_t t = 0; t < steps_; ++t) {
      Step step{Numbers(4 * units_), Numbers(units_), Numbers(units_)};
      for (std::size_t row = 0; row < 4 * units_; ++row) {
        double sum = b_[row];
        for (std::size_t k = 0; k < inputs_; ++k) {
          sum += w_[input_weight(row, k)] * x[place(item, k, t, inputs_)];
        }
        for (std::size_t k = 0; k < units_; ++k) sum += w_[recurrent_weight(row, k)] * h[k];
        step.gates[row] = row / units_ == 2 ? std::tanh(sum) : logistic(sum);
      }
      for (std::size_t u = 0; u < units_; ++u) {
        const double i = step.gates[u], f = step.gates[units_ + u], g = step.gates[2 * units_ + u];
        step.cells[u] = f * c[u] + i * g;
        step.outputs[u] = step.gates[3 * units_ + u] * std::tanh(step.cells[u]);
        y_[place(item, u, t, units_)] = step.outputs[u];
      }
      c = step.cells;
      h = step.outputs;
      steps.push_back(std::move(step));
    }
    return steps;
  }

  void backward(const Numbers& x, const Numbers& dy, std::size_t item,
                const std::vector<Step>& steps) {
    Numbers dh(units_), dc(units_);
    for (std::size_t t = steps_; t-- > 0;) {
      const Step& step = steps[t];
      const Numbers before_c = t > 0 ? steps[t - 1].cells : Numbers(units_);
      const Numbers before_h = t > 0 ? steps[t - 1].outputs : Numbers(units_);
      Numbers slopes(4 * units_);  // gradients of the gates' sums
      for (std::size_t u = 0; u < units_; ++u) {
        const double i = step.gates[u], f = step.gates[units_ + u];
        const double g = step.gates[2 * units_ + u], o = step.gates[3 * units_ + u];
        const double squashed = std::tanh(step.cells[u]);
        const double out = dy[place(item, u, t, units_)] + dh[u];
        const double cell = dc[u] + out * o * (1 - squashed * squashed);
        slopes[u] = cell * g * i * (1 - i);
        slopes[units_ + u] = cell * before_c[u] * f * (1 - f);
        slopes[2 * units_ + u] = cell * i * (1 - g * g);
        slopes[3 * units_ + u] = out * squashed * o * (1 - o);
        dc[u] = cell * f;
      }
      dh.assign(units_, 0);
      for (std::size_t row = 0; row < 4 * units_; ++row) {
        db_[row] += slopes[row];
        for (std::size_t k = 0; k < inputs_; ++k) {
          dw_[input_weight(row, k)] += slopes[row] * x[place(item, k, t, inputs_)];
          dx_[place(item, k, t, inputs_)] += slopes[row] * w_[input_weight(row, k)];
        }
        for (std::size_t k = 0; k < units_; ++k) {
          dw_[recurrent_weight(row, k)] += slopes[row] * before_h[k];
          dh[k] += slopes[row] * w_[recurrent_weight(row, k)];
        }
      }
    }
  }

  const std::size_t inputs_, units_, steps_;
  const Numbers w_, b_;
  Numbers y_, dx_, dw_, db_;
};

}  // namespace paceline::cuda
