// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {
namespace {

class PoolingTest : public DeviceTest {};

struct Case {
  int batch;
  Shape in;
  int height, width, stride;
  int top = 0, bottom = 0, left = 0, right = 0;
};

const Case kCases[] = {
    {2, {16, 6, 6}, 2, 2, 2},
    {3, {5, 7, 5}, 3, 3, 2, 1, 1, 1, 1},
    {1, {1, 5, 5}, 3, 2, 1, 1, 0, 0, 1},  // asymmetric
    {2, {8, 9, 9}, 3, 3, 2, 0, 1, 0, 1},  // like TensorFlow's padding
    {2, {24, 7, 7}, 7, 7, 1},             // the whole image
    {2, {3, 5, 4}, 1, 1, 2},              // selects pixels
    {2, {8, 5, 5}, 2, 2, 3},              // leaves gaps
    {1, {8, 18, 17}, 18, 17, 1},          // more positions than fit into a byte
};

Layer layer_of(const Case& c, LayerKind kind) {
  Layer layer;
  layer.kind = kind;
  layer.in = c.in;
  layer.kernel_height = c.height;
  layer.kernel_width = c.width;
  layer.stride = c.stride;
  layer.pad_top = c.top;
  layer.pad_bottom = c.bottom;
  layer.pad_left = c.left;
  layer.pad_right = c.right;
  layer.out = {c.in.channels, (c.in.height + c.top + c.bottom - c.height) / c.stride + 1,
               (c.in.width + c.left + c.right - c.width) / c.stride + 1};
  return layer;
}

struct Reference {
  Numbers y, dx;

  Reference(const Layer& l, int batch, const Numbers& x, const Numbers& dy)
      : y(dy.size()), dx(x.size()) {
    for (int n = 0; n < batch; ++n) {
      for (int c = 0; c < l.in.channels; ++c) {
        for (int oy = 0; oy < l.out.height; ++oy) {
          for (int ox = 0; ox < l.out.width; ++ox) window(l, n, c, oy, ox, x, dy);
        }
      }
    }
  }

  void window(const Layer& l, int n, int c, int oy, int ox, const Numbers& x, const Numbers& dy) {
    const std::size_t out = index_of(l.out, n, c, oy, ox);
    std::vector<std::size_t> inside;
    for (int ky = 0; ky < l.kernel_height; ++ky) {
      for (int kx = 0; kx < l.kernel_width; ++kx) {
        const int iy = oy * l.stride - l.pad_top + ky, ix = ox * l.stride - l.pad_left + kx;
        if (iy < 0 || ix < 0 || iy >= l.in.height || ix >= l.in.width) continue;
        inside.push_back(index_of(l.in, n, c, iy, ix));
      }
    }
    if (l.kind == LayerKind::max_pool) {
      const std::size_t largest = *std::max_element(
          inside.begin(), inside.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
      y[out] = x[largest];
      dx[largest] += dy[out];
    } else {
      const auto count = static_cast<double>(inside.size());
      for (const std::size_t i : inside) {
        y[out] += x[i] / count;
        dx[i] += dy[out] / count;
      }
    }
  }
};

void expect_pooling(LayerKind kind) {
  for (const Format format : kFormats) {
    for (const Case& c : kCases) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(format.name() + ", " + std::to_string(c.height) + "x" +
                     std::to_string(c.width) + " of " + std::to_string(c.in.channels));
        const Layer layer = layer_of(c, kind);
        OperationBench bench(format, c.batch, {c.in}, layer);
        bench.draw_all(31);
        bench.wiring.inputs[0].adds = adds;
        bench.make(make_pooling);
        const Reference reference(layer, c.batch, bench.inputs[0], bench.output_gradient);
        expect_close(bench.forward(), reference.y, format.tolerance(), "output");
        bench.backward();
        expect_close(bench.input_gradients[0], bench.expected_gradient(0, reference.dx),
                     2 * format.tolerance(), "gradient");
      }
    }
  }
}

TEST_F(PoolingTest, Maximum) {
  expect_pooling(LayerKind::max_pool);
}
TEST_F(PoolingTest, Mean) {
  expect_pooling(LayerKind::average_pool);
}

TEST_F(PoolingTest, AGradientThatIsNotNeededIsLeftOut) {
  const Layer layer = layer_of(kCases[0], LayerKind::max_pool);
  OperationBench bench(kFormats[0], 2, {layer.in}, layer);
  bench.draw_all(31);
  bench.wiring.inputs[0].gradient = {};
  bench.make(make_pooling);
  bench.forward();
  bench.backward();
  for (const double x : bench.input_gradients[0]) EXPECT_TRUE(std::isnan(x));
}

}  // namespace
}  // namespace paceline::cuda
