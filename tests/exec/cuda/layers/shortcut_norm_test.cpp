// SPDX-License-Identifier: MIT
// Two batch norms of a residual unit, their add and the ReLU after it in one operation.
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/batch_norm_reference.hpp"

namespace paceline::cuda {
namespace {

class ShortcutNormTest : public DeviceTest {};

struct Case {
  int batch;
  Shape shape;
  bool scale = true, shortcut_scale = true, relu = true;
  bool input_adds = false, shortcut_adds = false;
  bool sums = false, shortcut_sums = false;  ///< convolutions have summed
};

/// The unit in double: each norm alone, then the add and the ReLU.
struct Reference {
  Numbers y;
  BatchNormReference main, shortcut;

  Reference(const Case& c, const Numbers& x, const Numbers& other, const Numbers& dy,
            const NormVectors& v, const NormVectors& w)
      : main({c.batch, c.shape}, x, {}, dy, v.scale, v.shift),
        shortcut({c.batch, c.shape}, other, {}, dy, w.scale, w.shift) {
    Numbers g = dy;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double value = main.y[i] + shortcut.y[i];
      y.push_back(c.relu ? std::max(value, 0.0) : value);
      if (c.relu && value <= 0) g[i] = 0;
    }
    main = {{c.batch, c.shape}, x, {}, g, v.scale, v.shift};
    shortcut = {{c.batch, c.shape}, other, {}, g, w.scale, w.shift};
  }
};

void expect_case(Format format, const Case& c, unsigned seed) {
  SCOPED_TRACE(format.name() + ", " + std::to_string(c.batch) + " of " +
               std::to_string(c.shape.channels) + "x" + std::to_string(c.shape.height) + "x" +
               std::to_string(c.shape.width));
  const Layer layer = norm_layer(c.shape, c.scale), other = norm_layer(c.shape, c.shortcut_scale);
  OperationBench bench(format, c.batch, {c.shape, c.shape}, layer);
  bench.draw_all(seed);
  bench.write_input(1, draw(c.batch * c.shape.elements(), seed + 50, format.element, -2, 3));
  const NormVectors vectors(layer, seed + 60), shortcut(other, seed + 70);
  bench.wiring.relu = c.relu;
  bench.wiring.parameters = vectors.parameters(format.element);
  bench.wiring.inputs[0].adds = c.input_adds;
  bench.wiring.inputs[1].adds = c.shortcut_adds;
  bench.wiring.shortcut = {&other, shortcut.parameters(format.element), nullptr};
  if (c.sums) bench.wiring.sums = sums_of(bench.inputs[0], c.shape);
  if (c.shortcut_sums) bench.wiring.shortcut.sums = sums_of(bench.inputs[1], c.shape);
  bench.make(make_batch_norm);

  const Reference reference(c, bench.inputs[0], bench.inputs[1], bench.output_gradient, vectors,
                            shortcut);
  const double tolerance = format.tolerance();
  expect_close(bench.forward(), reference.y, tolerance, "output");
  bench.backward();
  expect_close(bench.input_gradients[0], bench.expected_gradient(0, reference.main.dx),
               2 * tolerance, "gradient of the input");
  expect_close(bench.input_gradients[1], bench.expected_gradient(1, reference.shortcut.dx),
               2 * tolerance, "gradient of the shortcut's input");
  vectors.expect_gradients(c.scale, reference.main, "gradients of scale and shift");
  shortcut.expect_gradients(c.shortcut_scale, reference.shortcut, "those of the shortcut");
}

// Planes of odd sizes, of which packs begin and end within 16 bytes, and channels that are no pack.
TEST_F(ShortcutNormTest, EveryFormatAndShape) {
  const Case cases[] = {
      {4, {16, 4, 4}},
      {3, {5, 3, 5}, true, false},
      {1, {1, 3, 3}, false, true, false},
      {6, {24, 1, 1}, true, true, true, true},
      {3, {8, 7, 7}, true, true, true, false, true},
      {2, {3, 5, 5}, true, true, false, true, true},
      {40, {8, 16, 16}},
  };
  for (const Format format : kFormats) {
    unsigned seed = 1;
    for (const Case& c : cases) expect_case(format, c, seed += 100);
  }
}

TEST_F(ShortcutNormTest, TakesSumsThatAreThere) {
  for (const Format format : kFormats) {
    if (format.element == Element::fp32) continue;
    for (const Shape shape : {Shape{16, 5, 5}, Shape{5, 3, 3}}) {
      for (const auto& [sums, shortcut] : {std::pair(true, true), {true, false}, {false, true}}) {
        Case c{4, shape};
        c.sums = sums;
        c.shortcut_sums = shortcut;
        expect_case(format, c, 23);
      }
    }
  }
}

TEST_F(ShortcutNormTest, GradientsThatAreNotNeededAreLeftOut) {
  const Layer layer = norm_layer({8, 3, 3}, true);
  for (const Format format : kFormats) {
    for (const std::size_t omitted : {0u, 1u}) {
      OperationBench bench(format, 2, {layer.in, layer.in}, layer);
      bench.draw_all(3);
      const NormVectors vectors(layer, 60), shortcut(layer, 70);
      bench.wiring.relu = true;
      bench.wiring.parameters = vectors.parameters(format.element);
      bench.wiring.shortcut = {&layer, shortcut.parameters(format.element), nullptr};
      bench.wiring.inputs[omitted].gradient = {};
      bench.make(make_batch_norm);
      const Reference reference({2, layer.in}, bench.inputs[0], bench.inputs[1],
                                bench.output_gradient, vectors, shortcut);
      bench.forward();
      bench.backward();
      for (const double x : bench.input_gradients[omitted]) EXPECT_TRUE(std::isnan(x));
      expect_close(bench.input_gradients[1 - omitted],
                   omitted == 0 ? reference.shortcut.dx : reference.main.dx, 2 * format.tolerance(),
                   "the other");
    }
  }
}

}  // namespace
}  // namespace paceline::cuda
