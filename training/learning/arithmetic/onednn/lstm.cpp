// SPDX-License-Identifier: MIT
// With X the inputs, Y the outputs, W, R and b the input weights, the recurrent weights and the
// biases, and A the pre-activations of the gates, each with one row per item and step:
//   forward   A = X W^T + b for all steps at once; then, step by step with states of 0 before the
//             first,  a_t += y_{t-1} R^T;  i, f, o = sigmoid, g = tanh of a_t's four parts;
//             c_t = f c_{t-1} + i g;  y_t = o tanh(c_t)
//   backward  from the last step:  dh = dy_t + da_{t+1} R;
//             dc = dh o (1 - tanh(c_t)^2) + (f dc)_{t+1};
//             di = dc g, df = dc c_{t-1}, dg = dc i, do = dh tanh(c_t), each times the slope of
//             its sigmoid or tanh;
//             then  dW = dA^T X,  dR = dA^T Y shifted by a step,  db = sum of dA's rows,  dX = dA W
#include <algorithm>

#include <Eigen/Core>

#include "training/learning/arithmetic/matrix_product.hpp"
#include "training/learning/arithmetic/onednn/operations.hpp"

namespace paceline {
namespace {

using Values = Eigen::Map<Eigen::ArrayXf>;
using Given = Eigen::Map<const Eigen::ArrayXf>;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// 1 / (1 + exp(-x)) of all, in place.
void sigmoid(Values x) {
  x = 0.5f * (0.5f * x).tanh() + 0.5f;
}

class Lstm final : public LayerOperation {
 public:
  explicit Lstm(const Wiring& wiring)
      : input_(wiring.inputs.front()),
        value_(wiring.value),
        gradient_(wiring.gradient),
        items_(wiring.batch),
        steps_(wiring.layer.in.height),
        features_(wiring.layer.in.channels),
        units_(wiring.layer.out.channels),
        gates_(size_of(4)),
        cells_(size_of(1)),
        before_(size_of(1)),
        hidden_gradient_(static_cast<std::size_t>(items_ * units_)),
        cell_gradient_(hidden_gradient_.size()) {}

  void forward(const float* weights) override {
    Eigen::Map<Matrix>(gates_.data(), items_ * steps_, 4 * units_).rowwise() =
        Eigen::Map<const Eigen::RowVectorXf>(weights + bias_at(), 4 * units_);
    product(items_ * steps_, 4 * units_, features_, {floats(input_.value), features_},
            {weights, features_, true}, gates_.data(), 4 * units_, 1.0f);
    for (std::int64_t t = 0; t < steps_; ++t) {
      if (t > 0) {
        product(items_, 4 * units_, units_, {floats(value_) + (t - 1) * units_, steps_ * units_},
                {weights + recurrent_at(), units_, true}, gates_.data() + t * 4 * units_,
                steps_ * 4 * units_, 1.0f);
      }
      for (std::int64_t item = 0; item < items_; ++item) step_forward(item, t);
    }
  }

  void backward(const float* weights, float* gradient) override {
    for (std::int64_t t = steps_ - 1; t >= 0; --t) {
      if (t + 1 < steps_) {
        product(items_, units_, 4 * units_,
                {gates_.data() + (t + 1) * 4 * units_, steps_ * 4 * units_},
                {weights + recurrent_at(), units_}, hidden_gradient_.data(), units_);
      }
      for (std::int64_t item = 0; item < items_; ++item) step_backward(item, t);
    }
    const std::int64_t rows = items_ * steps_;
    product(4 * units_, features_, rows, {gates_.data(), 4 * units_, true},
            {floats(input_.value), features_}, gradient, features_);
    shift_outputs();
    product(4 * units_, units_, rows, {gates_.data(), 4 * units_, true}, {before_.data(), units_},
            gradient + recurrent_at(), units_);
    Eigen::Map<Eigen::RowVectorXf>(gradient + bias_at(), 4 * units_) =
        Eigen::Map<const Matrix>(gates_.data(), rows, 4 * units_).colwise().sum();
    if (!input_.gradient) return;
    product(rows, features_, 4 * units_, {gates_.data(), 4 * units_}, {weights, features_},
            floats(input_.landing), features_);
    input_.land();
  }

 private:
  std::size_t size_of(std::int64_t times_units) const {
    return static_cast<std::size_t>(items_ * steps_ * times_units * units_);
  }
  std::int64_t recurrent_at() const { return 4 * units_ * features_; }
  std::int64_t bias_at() const { return recurrent_at() + 4 * units_ * units_; }
  float* gate(std::int64_t item, std::int64_t t, std::int64_t which) {
    return gates_.data() + ((item * steps_ + t) * 4 + which) * units_;
  }
  float* cell(std::int64_t item, std::int64_t t) {
    return cells_.data() + (item * steps_ + t) * units_;
  }

  void step_forward(std::int64_t item, std::int64_t t) {
    Values in(gate(item, t, 0), units_), forget(gate(item, t, 1), units_);
    Values candidate(gate(item, t, 2), units_), out(gate(item, t, 3), units_);
    sigmoid(in);
    sigmoid(forget);
    candidate = candidate.tanh().eval();
    sigmoid(out);
    Values now(cell(item, t), units_);
    now = in * candidate;
    if (t > 0) now += forget * Values(cell(item, t - 1), units_);
    Values(floats(value_) + (item * steps_ + t) * units_, units_) = out * now.tanh();
  }

  /// Replaces the gates of a step by the gradients of their pre-activations.
  void step_backward(std::int64_t item, std::int64_t t) {
    Values in(gate(item, t, 0), units_), forget(gate(item, t, 1), units_);
    Values candidate(gate(item, t, 2), units_), out(gate(item, t, 3), units_);
    Values dh(hidden_gradient_.data() + item * units_, units_);
    Values dc(cell_gradient_.data() + item * units_, units_);
    const bool last = t + 1 == steps_;
    if (last) dc.setZero();
    const Given dy(floats(gradient_) + (item * steps_ + t) * units_, units_);
    dh = last ? Eigen::ArrayXf(dy) : Eigen::ArrayXf(dh + dy);
    const Eigen::ArrayXf reached = Values(cell(item, t), units_).tanh();
    dc += dh * out * (1 - reached.square());
    out = dh * reached * out * (1 - out);
    const Eigen::ArrayXf passed = dc * forget;
    if (t > 0) {
      forget = dc * Values(cell(item, t - 1), units_) * forget * (1 - forget);
    } else {
      forget.setZero();
    }
    const Eigen::ArrayXf entered = dc * candidate * in * (1 - in);
    candidate = dc * in * (1 - candidate.square());
    in = entered;
    dc = passed;
  }

  /// Stores the outputs shifted by one step, with zeros at the first.
  void shift_outputs() {
    const float* outputs = floats(value_);
    for (std::int64_t item = 0; item < items_; ++item) {
      float* to = before_.data() + item * steps_ * units_;
      std::fill_n(to, units_, 0.0f);
      std::copy_n(outputs + item * steps_ * units_, (steps_ - 1) * units_, to + units_);
    }
  }

  InputTensors input_;
  dnnl::memory value_, gradient_;
  std::int64_t items_, steps_, features_, units_;
  std::vector<float> gates_;   ///< [item][step][gate][unit]; after backward, A's gradient
  std::vector<float> cells_;   ///< [item][step][unit]
  std::vector<float> before_;  ///< [item][step][unit]: the outputs of the previous step
  std::vector<float> hidden_gradient_, cell_gradient_;  ///< [item][unit], of the current step
};

}  // namespace

std::unique_ptr<LayerOperation> make_lstm(const Wiring& wiring) {
  return std::make_unique<Lstm>(wiring);
}

}  // namespace paceline
