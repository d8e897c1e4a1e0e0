// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/lstm_cell.hpp"

#include <cmath>

#include <Eigen/Core>

namespace paceline::cuda::emulation {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

float sigmoid(float x) {
  return 1.0F / (1.0F + std::exp(-x));
}

/// `rows` x `columns` numbers from `at` on.
Matrix read(const void* data, Number number, std::int64_t at, std::int64_t rows,
            std::int64_t columns) {
  const Reader from(data, number);
  Matrix matrix(rows, columns);
  for (std::int64_t i = 0; i < matrix.size(); ++i) matrix.data()[i] = from[at + i];
  return matrix;
}

/// A state of one item; zeros where there is none.
Vector state(const void* data, Number number, std::int64_t item, std::int64_t units) {
  if (data == nullptr) return Vector::Zero(units);
  return read(data, number, item * units, units, 1);
}

void write(void* data, Number number, std::int64_t at, const Vector& values) {
  if (data == nullptr) return;
  const Writer to(data, number);
  for (std::int64_t i = 0; i < values.size(); ++i) to.set(at + i, values[i]);
}

/// Of an item's step: gates, c, and the gates' gradients, in the reserve.
struct Kept {
  float* start;
  std::int64_t units;
  Eigen::Map<Vector> gates() const { return {start, kGates * units}; }
  Eigen::Map<Vector> cell() const { return {start + kGates * units, units}; }
  Eigen::Map<Vector> gradients() const { return {start + (kGates + 1) * units, kGates * units}; }
};

Kept kept(const LstmPass& pass, std::int64_t item, std::int64_t step) {
  const std::int64_t width = pass.layout.units * (2 * kGates + 1);
  return {static_cast<float*>(pass.reserve) + (item * pass.xs.steps + step) * width,
          pass.layout.units};
}

Matrix all_gates(const LstmPass& pass, int first, std::int64_t columns) {
  return read(pass.weights, pass.xs.number, pass.layout.matrix(first), kGates * pass.layout.units,
              columns);
}

}  // namespace

std::int64_t LstmWeights::bias(int gate) const {
  if (gate < kGates) return input_bias ? gate * units : -1;
  return recurrent_bias ? (gate - (input_bias ? 0 : kGates)) * units : -1;
}

std::int64_t LstmWeights::matrix(int gate) const {
  const std::int64_t start = biases() * units;
  if (gate <= kGates) return start + gate * units * inputs;
  return start + kGates * units * inputs + (gate - kGates) * units * units;
}

void LstmPass::forward(const void* x, void* y, const void* hx, void* hy, const void* cx, void* cy,
                       bool keeps) const {
  const std::int64_t units = layout.units;
  const Number number = xs.number;
  const Matrix of_input = all_gates(*this, 0, layout.inputs);
  const Matrix recurrent = all_gates(*this, kGates, units);
  Vector bias = Vector::Zero(kGates * units);
  for (const int first : {0, kGates}) {
    if (layout.bias(first) >= 0) {
      bias += read(weights, number, layout.bias(first), kGates * units, 1);
    }
  }
  for (std::int64_t item = 0; item < xs.batch; ++item) {
    Vector h = state(hx, number, item, units);
    Vector c = state(cx, number, item, units);
    const int length = xs.lengths[static_cast<std::size_t>(item)];
    for (std::int64_t step = 0; step < xs.steps; ++step) {
      if (step >= length) {
        write(y, number, ys.at(item, step), Vector::Constant(units, ys.padding));
        continue;
      }
      const Vector input = read(x, number, xs.at(item, step), layout.inputs, 1);
      Vector gates = of_input * input + recurrent * h + bias;
      for (std::int64_t i = 0; i < gates.size(); ++i) {
        gates[i] = i / units == 2 ? std::tanh(gates[i]) : sigmoid(gates[i]);
      }
      for (std::int64_t i = 0; i < units; ++i) {
        c[i] = gates[units + i] * c[i] + gates[i] * gates[2 * units + i];
        h[i] = gates[3 * units + i] * std::tanh(c[i]);
      }
      write(y, number, ys.at(item, step), h);
      h = read(y, number, ys.at(item, step), units, 1);  // rounded, as backward will read it
      if (keeps) {
        kept(*this, item, step).gates() = gates;
        kept(*this, item, step).cell() = c;
      }
    }
    write(hy, number, item * units, h);
    write(cy, number, item * units, c);
  }
}

void LstmPass::backward_data(const void* dy, const void* dhy, void* dx, const void* cx, void* dhx,
                             const void* dcy, void* dcx) const {
  const std::int64_t units = layout.units;
  const Number number = xs.number;
  const Matrix of_input = all_gates(*this, 0, layout.inputs).transpose();
  const Matrix recurrent = all_gates(*this, kGates, units).transpose();
  for (std::int64_t item = 0; item < xs.batch; ++item) {
    Vector dh = state(dhy, number, item, units);
    Vector dc = state(dcy, number, item, units);
    const Vector first_cell = state(cx, number, item, units);
    const int length = xs.lengths[static_cast<std::size_t>(item)];
    for (std::int64_t step = xs.steps - 1; step >= 0; --step) {
      if (step >= length) {
        write(dx, number, xs.at(item, step), Vector::Zero(layout.inputs));
        continue;
      }
      dh += read(dy, number, ys.at(item, step), units, 1);
      const auto gates = kept(*this, item, step).gates();
      const auto cell = kept(*this, item, step).cell();
      const Vector before = step == 0 ? first_cell : Vector(kept(*this, item, step - 1).cell());
      auto gradients = kept(*this, item, step).gradients();
      for (std::int64_t u = 0; u < units; ++u) {
        const float i = gates[u];
        const float f = gates[units + u];
        const float g = gates[2 * units + u];
        const float o = gates[3 * units + u];
        const float squashed = std::tanh(cell[u]);
        const float d = dc[u] + dh[u] * o * (1.0F - squashed * squashed);
        gradients[u] = d * g * i * (1.0F - i);
        gradients[units + u] = d * before[u] * f * (1.0F - f);
        gradients[2 * units + u] = d * i * (1.0F - g * g);
        gradients[3 * units + u] = dh[u] * squashed * o * (1.0F - o);
        dc[u] = d * f;
      }
      write(dx, number, xs.at(item, step), of_input * gradients);
      dh = recurrent * gradients;
    }
    write(dhx, number, item * units, dh);
    write(dcx, number, item * units, dc);
  }
}

void LstmPass::backward_weights(const void* x, const void* hx, const void* y,
                                void* gradients) const {
  const std::int64_t units = layout.units;
  const Number number = xs.number;
  Matrix of_input = Matrix::Zero(kGates * units, layout.inputs);
  Matrix recurrent = Matrix::Zero(kGates * units, units);
  Vector bias = Vector::Zero(kGates * units);
  for (std::int64_t item = 0; item < xs.batch; ++item) {
    Vector h = state(hx, number, item, units);
    for (std::int64_t step = 0; step < xs.lengths[static_cast<std::size_t>(item)]; ++step) {
      const Vector of_gates = kept(*this, item, step).gradients();
      const Vector input = read(x, number, xs.at(item, step), layout.inputs, 1);
      of_input += of_gates * input.transpose();
      recurrent += of_gates * h.transpose();
      bias += of_gates;
      h = read(y, number, ys.at(item, step), units, 1);
    }
  }
  const Writer to(gradients, number);
  const auto add = [&](std::int64_t at, const float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to.blend(at + i, values[i], 1.0F, 1.0F);
  };
  add(layout.matrix(0), of_input.data(), of_input.size());
  add(layout.matrix(kGates), recurrent.data(), recurrent.size());
  for (const int first : {0, kGates}) {
    if (layout.bias(first) >= 0) add(layout.bias(first), bias.data(), bias.size());
  }
}

}  // namespace paceline::cuda::emulation
