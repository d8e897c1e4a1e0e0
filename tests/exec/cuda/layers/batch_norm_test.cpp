// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/noise.hpp"
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/batch_norm_reference.hpp"

namespace paceline::cuda {
namespace {

class BatchNormTest : public DeviceTest {};

using Case = BatchNormCase;
using Reference = BatchNormReference;

void expect_case(Format format, const Case& c, unsigned seed) {
  SCOPED_TRACE(format.name() + ", " + std::to_string(c.batch) + " of " +
               std::to_string(c.shape.channels) + "x" + std::to_string(c.shape.height) + "x" +
               std::to_string(c.shape.width) + (c.add ? ", add" : "") + (c.relu ? ", relu" : ""));
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = c.shape;
  layer.scale = c.scale;
  OperationBench bench(format, c.batch, std::vector<Shape>(c.add ? 2 : 1, c.shape), layer);
  bench.draw_all(seed);
  bench.write_input(
      0, draw(c.batch * c.shape.elements(), seed + 50, format.element, c.mean, c.deviation));

  const int channels = c.shape.channels;
  const Numbers scale =
      c.scale ? draw(channels, seed + 60, Element::fp32, 1, 0.2) : Numbers(channels, 1.0);
  const Numbers shift = draw(channels, seed + 61, Element::fp32);
  Numbers vectors = c.scale ? scale : Numbers{};
  vectors.insert(vectors.end(), shift.begin(), shift.end());
  // In the flat weights they may begin at any offset.
  const int at = c.batch % 2;
  vectors.insert(vectors.begin(), static_cast<std::size_t>(at), 99.0);
  const DeviceArray<float> parameters = floats_on_device(vectors);
  const DeviceArray<float> gradients = floats_on_device(Numbers(vectors.size(), std::nan("")));
  bench.wiring.parameters.vectors = parameters.data() + at;
  bench.wiring.parameters.vector_gradients = gradients.data() + at;
  bench.wiring.relu = c.relu;
  bench.wiring.inputs[0].adds = c.input_adds;
  if (c.add) bench.wiring.inputs[1].adds = c.added_adds;
  bench.make(make_batch_norm);

  const Reference reference(c, bench.inputs[0], bench.inputs.back(), bench.output_gradient, scale,
                            shift);
  const double tolerance = std::max(format.tolerance(), 1e-4 * (c.mean > 100 ? 1 : 0));
  expect_close(bench.forward(), reference.y, tolerance, "output");
  bench.backward();
  expect_close(bench.input_gradients[0], bench.expected_gradient(0, reference.dx), 2 * tolerance,
               "gradient of the input");
  if (c.add) {
    expect_close(bench.input_gradients[1], bench.expected_gradient(1, reference.dadded),
                 2 * tolerance, "gradient of what is added");
  }
  Numbers expected = c.scale ? reference.dscale : Numbers{};
  expected.insert(expected.end(), reference.dshift.begin(), reference.dshift.end());
  Numbers got = numbers_of(gradients.read());
  got.erase(got.begin(), got.begin() + at);
  expect_close(got, expected, c.mean > 100 ? 1e-4 : 2e-5, "gradients of scale and shift");
}

TEST_F(BatchNormTest, EveryFormatAndShape) {
  const Case cases[] = {
      {4, {16, 4, 4}}, {3, {5, 3, 5}}, {1, {1, 3, 3}},   {6, {24, 1, 1}},
      {1, {8, 2, 4}},  {5, {3, 8, 2}}, {4, {100, 1, 3}}, {7, {40, 2, 2}, false},
  };
  for (const Format format : kFormats) {
    unsigned seed = 1;
    for (const Case& c : cases) expect_case(format, c, seed += 100);
  }
}

TEST_F(BatchNormTest, AddAndReluWithin) {
  for (const Format format : kFormats) {
    unsigned seed = 7;
    for (const Shape shape : {Shape{16, 4, 4}, Shape{5, 3, 3}}) {
      expect_case(format, {3, shape, true, false, true}, seed += 100);
      expect_case(format, {3, shape, true, true, false}, seed += 100);
      expect_case(format, {3, shape, true, true, true}, seed += 100);
      expect_case(format, {3, shape, false, true, true, true, true}, seed += 100);
      expect_case(format, {3, shape, true, false, true, true}, seed += 100);
    }
  }
}

// Planes that begin and end within 16 bytes.
TEST_F(BatchNormTest, PlanesOfAnyNumberOfPixels) {
  for (const Format format : kFormats) {
    unsigned seed = 31;
    for (const Shape shape : {Shape{5, 7, 7}, Shape{3, 5, 5}, Shape{4, 14, 14}, Shape{1, 1, 17}}) {
      expect_case(format, {3, shape, true, true, true, true, true}, seed += 100);
      expect_case(format, {2, shape, true, false, true}, seed += 100);
    }
    expect_case(format, {33, {2, 23, 23}, true, true, true}, seed);
  }
}

TEST_F(BatchNormTest, AMeanFarFromZeroCostsNoVariance) {
  for (const Layout layout : {Layout::nchw, Layout::nhwc}) {
    Case c{16, {12, 5, 5}};
    c.mean = 1000;
    c.deviation = 0.5;
    expect_case({Element::fp32, layout}, c, 17);
    c.shape = {16, 4, 4};
    expect_case({Element::fp32, layout}, c, 18);
  }
}

TEST_F(BatchNormTest, ManyBlocksShareAChannel) {
  expect_case({Element::fp32, Layout::nhwc}, {40, {4, 16, 16}, true, false, true}, 21);
  expect_case({Element::fp32, Layout::nchw}, {40, {4, 16, 16}, true, false, true}, 22);
  expect_case({Element::bf16, Layout::nhwc}, {40, {8, 16, 16}, true, true, true}, 23);
}

// The emulation runs every other launch backwards: another block is then the last of its group.
TEST_F(BatchNormTest, WhicheverBlockIsLastTheBitsAreTheSame) {
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = {8, 24, 24};
  for (const Format format : kFormats) {
    OperationBench bench(format, 12, {layer.in}, layer);
    bench.draw_all(3);
    const DeviceArray<float> parameters = floats_on_device(Numbers(16, 1.0));
    const DeviceArray<float> gradients = floats_on_device(Numbers(16, std::nan("")));
    bench.wiring.parameters.vectors = parameters.data();
    bench.wiring.parameters.vector_gradients = gradients.data();
    bench.make(make_batch_norm);
    const auto run = [&] {
      Numbers all = bench.forward();
      bench.backward();
      for (const Numbers& more : {bench.input_gradients[0], numbers_of(gradients.read())}) {
        all.insert(all.end(), more.begin(), more.end());
      }
      return all;
    };
    const Numbers first = run();
    const DeviceArray<float> one = floats_on_device(Numbers(1, 0.0));
    fill_with_noise(one.data(), Element::fp32, 1, bench.stream());  // a launch more
    EXPECT_EQ(run(), first);
  }
}

// The reference's gradients are the derivatives of its outputs.
TEST_F(BatchNormTest, TheReferenceAgreesWithDifferences) {
  const Case c{3, {2, 2, 2}, true, true, true};
  Numbers x = draw(24, 1, Element::fp32);
  const Numbers added = draw(24, 2, Element::fp32), dy = draw(24, 3, Element::fp32);
  Numbers scale = draw(2, 4, Element::fp32), shift = draw(2, 5, Element::fp32);
  const Reference exact(c, x, added, dy, scale, shift);
  const auto derivative = [&](double& at) {
    constexpr double kStep = 1e-6;
    const auto total = [&] {
      const Numbers y = Reference(c, x, added, dy, scale, shift).y;
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i];
      return sum;
    };
    const double before = at;
    at = before + kStep;
    const double above = total();
    at = before - kStep;
    const double below = total();
    at = before;
    return (above - below) / (2 * kStep);
  };
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(derivative(x[i]), exact.dx[i], 1e-6);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(derivative(scale[i]), exact.dscale[i], 1e-6);
    EXPECT_NEAR(derivative(shift[i]), exact.dshift[i], 1e-6);
  }
}

TEST_F(BatchNormTest, GradientsThatAreNotNeededAreLeftOut) {
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = {8, 3, 3};
  for (const Format format : kFormats) {
    OperationBench bench(format, 2, {layer.in, layer.in}, layer);
    bench.draw_all(3);
    const DeviceArray<float> parameters = floats_on_device(Numbers(16, 1.0));
    const DeviceArray<float> gradients = floats_on_device(Numbers(16, std::nan("")));
    bench.wiring.parameters.vectors = parameters.data();
    bench.wiring.parameters.vector_gradients = gradients.data();
    bench.wiring.inputs[0].gradient = {};
    bench.wiring.inputs[1].gradient = {};
    bench.make(make_batch_norm);
    bench.forward();
    bench.backward();
    for (const Numbers& g : bench.input_gradients) {
      for (const double x : g) EXPECT_TRUE(std::isnan(x));
    }
    for (const float g : gradients.read()) EXPECT_FALSE(std::isnan(g));
  }
}

// The sums of a convolution before it give the results of its own, but for rounding.
TEST_F(BatchNormTest, TakesSumsThatAreThere) {
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = {16, 5, 5};
  for (const Format format : kFormats) {
    if (format.element == Element::fp32) continue;
    const auto run = [&](bool given) {
      OperationBench bench(format, 4, {layer.in}, layer);
      bench.draw_all(3);
      const DeviceArray<float> parameters = floats_on_device(Numbers(32, 1.0));
      const DeviceArray<float> gradients = floats_on_device(Numbers(32, std::nan("")));
      bench.wiring.parameters.vectors = parameters.data();
      bench.wiring.parameters.vector_gradients = gradients.data();
      bench.wiring.relu = true;
      auto sums = std::make_shared<ChannelSums>(16);
      sums->written = given;
      std::vector<float> of_input(32);
      for (std::size_t i = 0; i < bench.inputs[0].size(); ++i) {
        const auto x = static_cast<float>(bench.inputs[0][i]);
        of_input[i / 25 % 16] += x;
        of_input[16 + i / 25 % 16] += x * x;
      }
      copy_now(sums->data(), of_input.data(), 32 * sizeof(float), "writing sums");
      bench.wiring.sums = sums;
      bench.make(make_batch_norm);
      const Numbers y = bench.forward();
      bench.backward();
      return std::pair(y, bench.input_gradients[0]);
    };
    const auto [y, dx] = run(true);
    const auto [own_y, own_dx] = run(false);
    expect_close(y, own_y, format.tolerance(), "output");
    expect_close(dx, own_dx, format.tolerance(), "gradient");
  }
}

// A residual unit's shortcut may write its gradient over the output's.
TEST_F(BatchNormTest, TheAddedGradientMayLieWhereTheOutputsLies) {
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = {16, 3, 3};
  for (const Format format : kFormats) {
    const auto run = [&](bool in_place) {
      OperationBench bench(format, 2, {layer.in, layer.in}, layer);
      bench.draw_all(3);
      const DeviceArray<float> parameters = floats_on_device(Numbers(32, 1.0));
      const DeviceArray<float> gradients = floats_on_device(Numbers(32, std::nan("")));
      bench.wiring.parameters.vectors = parameters.data();
      bench.wiring.parameters.vector_gradients = gradients.data();
      bench.wiring.relu = true;
      if (in_place) bench.wiring.inputs[1].gradient = bench.wiring.gradient;
      bench.make(make_batch_norm);
      bench.forward();
      bench.backward();
      return bench.input_gradients[0];
    };
    EXPECT_EQ(run(true), run(false));
  }
}

TEST_F(BatchNormTest, WhatIsAddedMayBeTheInputItself) {
  Case c{3, {16, 3, 3}, true, true, true};
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = c.shape;
  for (const Format format : kFormats) {
    OperationBench bench(format, c.batch, {c.shape, c.shape}, layer);
    bench.draw_all(3);
    const DeviceArray<float> parameters = floats_on_device(Numbers(32, 1.0));
    const DeviceArray<float> gradients = floats_on_device(Numbers(32, std::nan("")));
    bench.wiring.parameters.vectors = parameters.data();
    bench.wiring.parameters.vector_gradients = gradients.data();
    bench.wiring.relu = true;
    bench.wiring.inputs[1] = bench.wiring.inputs[0];
    bench.wiring.inputs[1].adds = true;
    bench.make(make_batch_norm);
    const Reference reference(c, bench.inputs[0], bench.inputs[0], bench.output_gradient,
                              Numbers(16, 1.0), Numbers(16, 1.0));
    expect_close(bench.forward(), reference.y, format.tolerance(), "output");
    bench.backward();
    Numbers expected = reference.dx;
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += reference.dadded[i];
    expect_close(bench.input_gradients[0], expected, 2 * format.tolerance(), "gradient");
  }
}

}  // namespace
}  // namespace paceline::cuda
