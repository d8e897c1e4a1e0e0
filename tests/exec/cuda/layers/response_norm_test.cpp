// SPDX-License-Identifier: MIT
#include <cmath>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {
namespace {

class ResponseNormTest : public DeviceTest {};

constexpr double kAlpha = 0.5,
                 kBeta = 0.75;  // a larger alpha than AlexNet's, so that its effect is visible

Numbers respond(const Layer& l, int batch, const Numbers& x) {
  Numbers y(x.size());
  for (int n = 0; n < batch; ++n) {
    for (int c = 0; c < l.in.channels; ++c) {
      for (int p = 0; p < l.in.height * l.in.width; ++p) {
        double squares = 0;
        for (int k = c - (l.norm_size - 1) / 2; k <= c + l.norm_size / 2; ++k) {
          if (k >= 0 && k < l.in.channels) squares += std::pow(x[index_of(l.in, n, k, 0, p)], 2);
        }
        const std::size_t i = index_of(l.in, n, c, 0, p);
        y[i] = x[i] * std::pow(1 + l.norm_alpha / l.norm_size * squares, -l.norm_beta);
      }
    }
  }
  return y;
}

/// The gradient of dy . y, by central differences.
Numbers derivative(const Layer& l, int batch, Numbers x, const Numbers& dy) {
  constexpr double kStep = 1e-5;
  Numbers dx(x.size());
  const auto total = [&] {
    const Numbers y = respond(l, batch, x);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i];
    return sum;
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + kStep;
    const double above = total();
    x[i] = at - kStep;
    dx[i] = (above - total()) / (2 * kStep);
    x[i] = at;
  }
  return dx;
}

TEST_F(ResponseNormTest, EveryFormatAndShape) {
  struct Case {
    int batch;
    Shape shape;
    int size;
  };
  const Case cases[] = {{2, {9, 2, 3}, 5},
                        {1, {16, 2, 2}, 5},
                        {1, {1, 3, 1}, 5},
                        {2, {7, 1, 1}, 4},
                        {1, {4, 2, 2}, 1}};
  for (const Format format : kFormats) {
    for (const Case& c : cases) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(format.name() + ", " + std::to_string(c.shape.channels));
        Layer layer;
        layer.kind = LayerKind::local_response_norm;
        layer.in = layer.out = c.shape;
        layer.norm_size = c.size;
        layer.norm_alpha = kAlpha;
        layer.norm_beta = kBeta;
        OperationBench bench(format, c.batch, {c.shape}, layer);
        bench.draw_all(51);
        bench.wiring.inputs[0].adds = adds;
        bench.make(make_response_norm);
        expect_close(bench.forward(), respond(layer, c.batch, bench.inputs[0]), format.tolerance(),
                     "output");
        bench.backward();
        const Numbers dx = derivative(layer, c.batch, bench.inputs[0], bench.output_gradient);
        expect_close(bench.input_gradients[0], bench.expected_gradient(0, dx),
                     2 * format.tolerance(), "gradient");
      }
    }
  }
}

}  // namespace
}  // namespace paceline::cuda
