// SPDX-License-Identifier: MIT
// A batch norm, its ReLU and a pool in one operation, against two operations.
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/batch_norm_reference.hpp"

namespace paceline::cuda {
namespace {

class PooledNormTest : public DeviceTest {};

struct Case {
  int batch;
  Shape shape;
  int kernel_height, kernel_width, stride;
  int top = 0, bottom = 0, left = 0, right = 0;
  bool adds = false, sums = false;
  bool mean = false;  ///< of what is added to
};

Layer pool_layer(const Case& c) {
  Layer layer;
  layer.kind = c.mean ? LayerKind::average_pool : LayerKind::max_pool;
  layer.in = layer.out = c.shape;
  layer.kernel_height = c.kernel_height;
  layer.kernel_width = c.kernel_width;
  layer.stride = c.stride;
  layer.pad_top = c.top;
  layer.pad_bottom = c.bottom;
  layer.pad_left = c.left;
  layer.pad_right = c.right;
  layer.out.height = (c.shape.height + c.top + c.bottom - c.kernel_height) / c.stride + 1;
  layer.out.width = (c.shape.width + c.left + c.right - c.kernel_width) / c.stride + 1;
  return layer;
}

void copy(const Tensor& to, const Tensor& from) {
  copy_now(to.data, from.data, static_cast<std::size_t>(from.bytes()), "copying");
}

/// Draws the gradient of a pool's output.
void draw_gradient(const OperationBench& bench, Format format, unsigned seed) {
  const Tensor& to = bench.wiring.gradient;
  DeviceTensor drawn(format, to.batch, to.shape);
  drawn.write(draw(to.elements(), seed + 90, format.element));
  copy(to, drawn.tensor());
}

struct Results {
  Numbers y, dx, dadded, vectors;
};

/// A bench of a batch norm with the output of `layer`; its numbers are those of the case.
struct Norm {
  NormVectors vectors;
  OperationBench bench;

  Norm(Format format, const Case& c, const Layer& layer, unsigned seed)
      : vectors(layer, seed + 60),
        bench(format, c.batch, std::vector<Shape>(c.mean ? 2 : 1, c.shape), layer) {
    bench.draw_all(seed);
    bench.write_input(0, draw(c.batch * c.shape.elements(), seed + 50, format.element, 3, 2));
    bench.wiring.relu = true;
    bench.wiring.parameters = vectors.parameters(format.element);
    bench.wiring.inputs.front().adds = bench.wiring.inputs.back().adds = c.adds;
    if (c.sums) bench.wiring.sums = sums_of(bench.inputs[0], c.shape);
  }
  Results results(const Numbers& y) const {
    return {y, bench.input_gradients.front(), bench.input_gradients.back(),
            numbers_of(vectors.gradients.read())};
  }
};

Results in_two(Format format, const Case& c, unsigned seed) {
  Norm norm(format, c, norm_layer(c.shape, true), seed);
  norm.bench.make(make_batch_norm);
  norm.bench.forward();
  OperationBench pool(format, c.batch, {c.shape}, pool_layer(c));
  pool.draw_all(seed);
  draw_gradient(pool, format, seed);
  pool.make(make_pooling);
  copy(pool.wiring.inputs[0].value, norm.bench.wiring.output);
  const Numbers y = pool.forward();
  pool.backward();
  copy(norm.bench.wiring.gradient, pool.wiring.inputs[0].gradient);
  norm.bench.backward();
  return norm.results(y);
}

Results in_one(Format format, const Case& c, unsigned seed) {
  const Layer pool = pool_layer(c);
  Layer layer = norm_layer(c.shape, true);
  layer.out = pool.out;
  Norm norm(format, c, layer, seed);
  draw_gradient(norm.bench, format, seed);
  norm.bench.wiring.pool = &pool;
  norm.bench.make(make_batch_norm);
  const Numbers y = norm.bench.forward();
  norm.bench.backward();
  return norm.results(y);
}

void expect_case(Format format, const Case& c, unsigned seed) {
  SCOPED_TRACE(format.name() + ", " + std::to_string(c.batch) + " of " +
               std::to_string(c.shape.channels) + "x" + std::to_string(c.shape.height) + "x" +
               std::to_string(c.shape.width) + ", windows of " + std::to_string(c.kernel_height) +
               "x" + std::to_string(c.kernel_width));
  const Results two = in_two(format, c, seed), one = in_one(format, c, seed);
  if (format.layout == Layout::nhwc) {
    EXPECT_EQ(one.y, two.y);
  }
  // In nchw the statistics are summed in another order.
  expect_close(one.y, two.y, format.tolerance(), "output");
  // The pool's gradient is not rounded between.
  expect_close(one.dx, two.dx, 2 * format.tolerance(), "gradient of the input");
  expect_close(one.dadded, two.dadded, 2 * format.tolerance(), "gradient of what is added");
  expect_close(one.vectors, two.vectors, 2 * format.tolerance(), "gradients of scale and shift");
}

// Windows that overlap, that leave pixels out, that the padding cuts, and of one pixel.
TEST_F(PooledNormTest, EveryFormatAndShape) {
  const Case cases[] = {
      {3, {16, 8, 8}, 3, 3, 2, 1, 1, 1, 1},
      {2, {8, 7, 5}, 3, 3, 2, 0, 1, 1, 0, true},
      {3, {5, 7, 9}, 2, 2, 2},
      {2, {24, 6, 7}, 4, 2, 2, 1, 1, 0, 0},
      {2, {3, 9, 8}, 2, 1, 3},
      {4, {8, 3, 3}, 3, 3, 3, 0, 0, 0, 0, true},
      {2, {8, 55, 55}, 3, 3, 2, 1, 1, 1, 1},
      {3, {16, 5, 7}, 1, 5, 3, 0, 0, 2, 2},
      {2, {5, 4, 4}, 1, 1, 1},
  };
  for (const Format format : kFormats) {
    unsigned seed = 1;
    for (const Case& c : cases) expect_case(format, c, seed += 100);
  }
}

Case mean_of(int batch, Shape shape) {
  Case c{batch, shape, shape.height, shape.width, 1};
  c.mean = true;
  return c;
}

// The mean of an image, behind an add.
TEST_F(PooledNormTest, MeansOfImages) {
  for (const Format format : kFormats) {
    unsigned seed = 5;
    for (const Shape shape : {Shape{16, 7, 7}, Shape{8, 2, 3}, Shape{5, 3, 5}, Shape{3, 1, 2}}) {
      Case c = mean_of(3, shape);
      expect_case(format, c, seed += 100);
      c.adds = true;
      expect_case(format, c, seed += 100);
    }
    expect_case(format, mean_of(40, {24, 4, 4}), seed);
  }
}

TEST_F(PooledNormTest, TakesSumsThatAreThere) {
  for (const Format format : kFormats) {
    if (format.element == Element::fp32) continue;
    expect_case(format, {4, {16, 9, 9}, 3, 3, 2, 1, 1, 1, 1, false, true}, 41);
    expect_case(format, {4, {5, 6, 5}, 3, 3, 2, 0, 0, 0, 0, true, true}, 42);
    Case mean = mean_of(4, {8, 5, 5});
    mean.sums = true;
    expect_case(format, mean, 43);
  }
}

}  // namespace
}  // namespace paceline::cuda
