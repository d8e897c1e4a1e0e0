// SPDX-License-Identifier: MIT
// Activation, add and dropout.
#include <algorithm>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"
#include "training/workload/random/dropout_mask.hpp"

namespace paceline::cuda {
namespace {

class ElementwiseTest : public DeviceTest {};

struct Case {
  int batch;
  Shape shape;
};
const Case kCases[] = {{1, {1, 1, 1}}, {3, {5, 3, 3}}, {2, {16, 4, 4}}, {5, {37, 1, 1}}};

Layer layer_of(LayerKind kind, Shape shape) {
  Layer layer;
  layer.kind = kind;
  layer.in = layer.out = shape;
  return layer;
}

TEST_F(ElementwiseTest, Activation) {
  for (const Format format : kFormats) {
    for (const Case& c : kCases) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(format.name());
        OperationBench bench(format, c.batch, {c.shape}, layer_of(LayerKind::activation, c.shape));
        bench.draw_all(5);
        bench.wiring.inputs[0].adds = adds;
        bench.make(make_activation);
        Numbers y = bench.inputs[0], dx = bench.output_gradient;
        for (std::size_t i = 0; i < y.size(); ++i) {
          if (y[i] <= 0) y[i] = dx[i] = 0;
        }
        EXPECT_EQ(bench.forward(), y);
        bench.backward();
        expect_close(bench.input_gradients[0], bench.expected_gradient(0, dx), format.tolerance(),
                     "gradient");
      }
    }
  }
}

TEST_F(ElementwiseTest, AnActivationInPlaceAndANaNThatStays) {
  for (const Format format : kFormats) {
    OperationBench bench(format, 2, {{3, 2, 2}}, layer_of(LayerKind::activation, {3, 2, 2}));
    bench.draw_all(5);
    Numbers x = bench.inputs[0];
    x[7] = std::nan("");
    bench.write_input(0, x);
    bench.wiring.inputs[0].value.data = bench.wiring.output.data;
    copy_now(bench.wiring.output.data, bench.input_data(0),
             static_cast<std::size_t>(bench.wiring.output.bytes()), "copying");
    bench.make(make_activation);
    const Numbers y = bench.forward();
    bench.backward();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i == 7) {
        EXPECT_TRUE(std::isnan(y[i]));
        continue;
      }
      EXPECT_EQ(y[i], std::max(x[i], 0.0));
      EXPECT_EQ(bench.input_gradients[0][i], x[i] > 0 ? bench.output_gradient[i] : 0);
    }
  }
}

TEST_F(ElementwiseTest, AddOfManyTensors) {
  for (const Format format : kFormats) {
    for (const std::size_t terms : {1U, 2U, 3U, 8U, 19U}) {  // a launch takes 8
      for (const bool relu : {false, true}) {
        SCOPED_TRACE(format.name() + ", " + std::to_string(terms) + " terms");
        const Shape shape{5, 3, 2};
        OperationBench bench(format, 3, std::vector<Shape>(terms, shape),
                             layer_of(LayerKind::add, shape));
        bench.draw_all(11);
        bench.wiring.relu = relu;
        bench.wiring.inputs[terms / 2].adds = true;
        bench.make(make_add);
        Numbers y(bench.inputs[0].size()), dx = bench.output_gradient;
        for (const Numbers& x : bench.inputs) {
          for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
        }
        for (std::size_t i = 0; relu && i < y.size(); ++i) {
          if (y[i] <= 0) y[i] = dx[i] = 0;
        }
        expect_close(bench.forward(), y, 2 * format.tolerance(), "sum");
        bench.backward();
        for (std::size_t k = 0; k < terms; ++k) {
          expect_close(bench.input_gradients[k], bench.expected_gradient(k, dx), format.tolerance(),
                       "gradient");
        }
      }
    }
  }
}

TEST_F(ElementwiseTest, AddOverItsFirstInputHandsTheGradientDown) {
  for (const Format format : kFormats) {
    const Shape shape{5, 3, 2};
    OperationBench bench(format, 3, std::vector<Shape>(11, shape), layer_of(LayerKind::add, shape));
    bench.draw_all(11);
    copy_now(bench.wiring.output.data, bench.input_data(10),
             static_cast<std::size_t>(bench.wiring.output.bytes()), "copying");
    bench.wiring.inputs[10].value.data = bench.wiring.output.data;
    bench.wiring.inputs[10].gradient.data = bench.wiring.gradient.data;
    bench.wiring.inputs[3].gradient = {};
    bench.make(make_add);
    Numbers y(bench.inputs[0].size());
    for (const Numbers& x : bench.inputs) {
      for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
    }
    expect_close(bench.forward(), y, 2 * format.tolerance(), "sum");
    bench.backward();
    EXPECT_EQ(bench.input_gradients[2], bench.output_gradient);
    for (const double x : bench.input_gradients[3]) EXPECT_TRUE(std::isnan(x));
  }
}

TEST_F(ElementwiseTest, DropoutKeepsWhatEveryClockKeeps) {
  constexpr double kRate = 0.3;
  const StepState state{{17, 4}, 3, {100, 2}};
  const DropoutDraw draw{{17, 4}, 3, std::uint64_t{2} << 32 | 100, 9};
  for (const Format format : kFormats) {
    for (const Case& c : kCases) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(format.name());
        const DeviceArray<StepState> on_device({state});
        Layer layer = layer_of(LayerKind::dropout, c.shape);
        layer.dropout_rate = kRate;
        OperationBench bench(format, c.batch, {c.shape}, layer);
        bench.draw_all(5);
        bench.wiring.index = 9;
        bench.wiring.step = on_device.data();
        bench.wiring.inputs[0].adds = adds;
        bench.make(make_dropout);
        Numbers y = bench.inputs[0], dx = bench.output_gradient;
        std::uint64_t element = 0;  // counted in channels-last order
        for (int n = 0; n < c.batch; ++n) {
          for (int row = 0; row < c.shape.height; ++row) {
            for (int column = 0; column < c.shape.width; ++column) {
              for (int channel = 0; channel < c.shape.channels; ++channel) {
                const std::size_t i = index_of(c.shape, n, channel, row, column);
                const double factor =
                    keeps(draw, element++, dropout_threshold(kRate)) ? 1 / (1 - kRate) : 0;
                y[i] *= factor;
                dx[i] *= factor;
              }
            }
          }
        }
        expect_close(bench.forward(), y, format.tolerance(), "output");
        bench.backward();
        expect_close(bench.input_gradients[0], bench.expected_gradient(0, dx), format.tolerance(),
                     "gradient");
      }
    }
  }
}

}  // namespace
}  // namespace paceline::cuda
