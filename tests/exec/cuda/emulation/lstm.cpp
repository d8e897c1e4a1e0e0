// SPDX-License-Identifier: MIT
#include "tests/exec/cuda/emulation/lstm.hpp"

#include <Eigen/Core>

namespace paceline::cuda::emulation {
namespace {

using Matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;

Matrix read(const void* data, Number number, std::int64_t first, std::int64_t rows,
            std::int64_t columns) {
  const auto floats = read_floats(data, number, first, rows * columns);
  return Eigen::Map<const Matrix>(floats.data(), rows, columns);
}

/// data = values + beta x data, from number `first` on.
void write(void* data, Number number, std::int64_t first, const Matrix& values, float beta) {
  const Writer to(data, number);
  for (std::int64_t i = 0; i < values.size(); ++i) {
    to.blend(first + i, values.data()[i], 1.0F, beta);
  }
}

/// The rows of step `t` in an array [batch][steps][width].
Rows at_step(const Lstm& lstm, float* data, std::int64_t width, std::int64_t t) {
  return {data + t * width, lstm.batch, width, Eigen::OuterStride<>(lstm.steps * width)};
}

Matrix product(const Matrix& a, const Matrix& b) {
  return (a.matrix() * b.matrix()).array();
}

/// The values of all steps that forward keeps for backward.
struct SavedValues {
  float *gates, *cells, *gradients;
  SavedValues(const Lstm& lstm, float* reserve)
      : gates(reserve),
        cells(gates + lstm.items() * lstm.gates()),
        gradients(cells + lstm.items() * lstm.units) {}
};

Matrix input_weights(const Lstm& lstm, const void* weights) {
  return read(weights, lstm.number, lstm.matrix(0), lstm.gates(), lstm.inputs);
}
Matrix recurrent_weights(const Lstm& lstm, const void* weights) {
  return read(weights, lstm.number, lstm.matrix(Lstm::kGates), lstm.gates(), lstm.units);
}

}  // namespace

void Lstm::forward(const void* weights, const void* x, void* y, float* reserve) const {
  const SavedValues saved(*this, reserve);
  const Matrix recurrent = recurrent_weights(*this, weights).transpose();
  Eigen::Map<Matrix> sums(saved.gates, items(), gates());
  sums = product(read(x, number, 0, items(), inputs), input_weights(*this, weights).transpose());
  sums.rowwise() += read(weights, number, bias(0), 1, gates()).row(0);
  Matrix h = Matrix::Zero(batch, units);
  Matrix c = Matrix::Zero(batch, units);
  Matrix outputs(items(), units);
  for (std::int64_t t = 0; t < steps; ++t) {
    Rows gate = at_step(*this, saved.gates, gates(), t);
    gate += product(h, recurrent);
    gate.leftCols(2 * units) = gate.leftCols(2 * units).logistic().eval();
    gate.middleCols(2 * units, units) = gate.middleCols(2 * units, units).tanh().eval();
    gate.rightCols(units) = gate.rightCols(units).logistic().eval();
    c = gate.middleCols(units, units) * c +
        gate.leftCols(units) * gate.middleCols(2 * units, units);
    h = gate.rightCols(units) * c.tanh();
    at_step(*this, saved.cells, units, t) = c;
    at_step(*this, outputs.data(), units, t) = h;
  }
  write(y, number, 0, outputs, 0.0F);
}

void Lstm::backward_data(const void* weights, const void* dy, void* dx, float* reserve) const {
  const SavedValues saved(*this, reserve);
  const Matrix recurrent = recurrent_weights(*this, weights);
  Matrix dys = read(dy, number, 0, items(), units);
  Matrix dh = Matrix::Zero(batch, units);
  Matrix dc = Matrix::Zero(batch, units);
  for (std::int64_t t = steps; t-- > 0;) {
    const Rows gate = at_step(*this, saved.gates, gates(), t);
    const Matrix i = gate.leftCols(units);
    const Matrix f = gate.middleCols(units, units);
    const Matrix g = gate.middleCols(2 * units, units);
    const Matrix o = gate.rightCols(units);
    const Matrix squashed = at_step(*this, saved.cells, units, t).tanh();
    const Matrix before = t > 0 ? Matrix(at_step(*this, saved.cells, units, t - 1))
                                : Matrix(Matrix::Zero(batch, units));
    dh += at_step(*this, dys.data(), units, t);
    dc += dh * o * (1.0F - squashed * squashed);
    Rows slope = at_step(*this, saved.gradients, gates(), t);
    slope.leftCols(units) = dc * g * i * (1.0F - i);
    slope.middleCols(units, units) = dc * before * f * (1.0F - f);
    slope.middleCols(2 * units, units) = dc * i * (1.0F - g * g);
    slope.rightCols(units) = dh * squashed * o * (1.0F - o);
    dc *= f;
    dh = product(slope, recurrent);
  }
  const Eigen::Map<const Matrix> slopes(saved.gradients, items(), gates());
  write(dx, number, 0, product(slopes, input_weights(*this, weights)), 0.0F);
}

void Lstm::backward_weights(const void* x, const void* y, void* gradients, float* reserve) const {
  const SavedValues saved(*this, reserve);
  const Eigen::Map<const Matrix> slopes(saved.gradients, items(), gates());
  Matrix outputs = read(y, number, 0, items(), units);
  Matrix before = Matrix::Zero(items(), units);
  for (std::int64_t t = 1; t < steps; ++t) {
    at_step(*this, before.data(), units, t) = at_step(*this, outputs.data(), units, t - 1);
  }
  write(gradients, number, bias(0), slopes.colwise().sum(), 1.0F);
  write(gradients, number, matrix(0),
        product(slopes.transpose(), read(x, number, 0, items(), inputs)), 1.0F);
  write(gradients, number, matrix(kGates), product(slopes.transpose(), before), 1.0F);
}

}  // namespace paceline::cuda::emulation
