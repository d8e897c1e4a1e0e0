// SPDX-License-Identifier: MIT
// Batch norms of which only every n-th row and column is read: the results of whole ones, without
// the other pixels.
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/batch_norm_reference.hpp"

namespace paceline::cuda {
namespace {

class KeptPixelsTest : public DeviceTest {};

struct Case {
  int batch;
  Shape shape;
  int stride;
  bool add = false, shortcut = false, relu = true;
  bool input_adds = false, added_adds = false;
  bool sums = false;
};

Shape kept(Shape shape, int stride) {
  shape.height = (shape.height + stride - 1) / stride;
  shape.width = (shape.width + stride - 1) / stride;
  return shape;
}

/// Calls `visit(whole, kept)` with the index of each kept pixel in both tensors.
template <class Visit>
void each_kept(const Case& c, Visit visit) {
  const Shape part = kept(c.shape, c.stride);
  for (int n = 0; n < c.batch; ++n) {
    for (int channel = 0; channel < part.channels; ++channel) {
      for (int y = 0; y < part.height; ++y) {
        for (int x = 0; x < part.width; ++x) {
          visit(index_of(c.shape, n, channel, y * c.stride, x * c.stride),
                index_of(part, n, channel, y, x));
        }
      }
    }
  }
}

/// The whole operation in double, of which the gradient is 0 at pixels that are not kept.
struct Reference {
  Numbers y, dx, dadded;
  BatchNormReference main, shortcut;

  Reference(const Case& c, const std::vector<Numbers>& x, const Numbers& dy, const NormVectors& v,
            const NormVectors& w)
      : main({c.batch, c.shape}, x[0], {}, x[0], v.scale, v.shift),
        shortcut({c.batch, c.shape}, x.back(), {}, x[0], w.scale, w.shift) {
    Numbers values = main.y, g(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (c.shortcut) {
        values[i] += shortcut.y[i];
      } else if (c.add) {
        values[i] += x[1][i];
      }
    }
    y.resize(dy.size());
    each_kept(c, [&](std::size_t whole, std::size_t part) {
      y[part] = c.relu ? std::max(values[whole], 0.0) : values[whole];
      g[whole] = c.relu && values[whole] <= 0 ? 0 : dy[part];
    });
    main = {{c.batch, c.shape}, x[0], {}, g, v.scale, v.shift};
    shortcut = {{c.batch, c.shape}, x.back(), {}, g, w.scale, w.shift};
    dx = main.dx;
    dadded = c.shortcut ? shortcut.dx : g;
  }
};

void expect_case(Format format, const Case& c, unsigned seed) {
  SCOPED_TRACE(format.name() + ", " + std::to_string(c.batch) + " of " +
               std::to_string(c.shape.channels) + "x" + std::to_string(c.shape.height) + "x" +
               std::to_string(c.shape.width) + ", stride " + std::to_string(c.stride));
  Layer layer = norm_layer(c.shape, true);
  const Layer other = layer;
  layer.out = kept(c.shape, c.stride);
  layer.stride = c.stride;
  const bool two = c.add || c.shortcut;
  OperationBench bench(format, c.batch, std::vector<Shape>(two ? 2 : 1, c.shape), layer);
  bench.draw_all(seed);
  const NormVectors vectors(layer, seed + 60), shortcut(other, seed + 70);
  bench.wiring.relu = c.relu;
  bench.wiring.parameters = vectors.parameters(format.element);
  bench.wiring.inputs.front().adds = c.input_adds;
  if (two) bench.wiring.inputs.back().adds = c.added_adds;
  if (c.sums) bench.wiring.sums = sums_of(bench.inputs[0], c.shape);
  if (c.shortcut) {
    bench.wiring.shortcut = {&other, shortcut.parameters(format.element), nullptr};
    if (c.sums) bench.wiring.shortcut.sums = sums_of(bench.inputs[1], c.shape);
  }
  bench.make(make_batch_norm);

  const Reference reference(c, bench.inputs, bench.output_gradient, vectors, shortcut);
  const double tolerance = format.tolerance();
  expect_close(bench.forward(), reference.y, tolerance, "output");
  bench.backward();
  expect_close(bench.input_gradients[0], bench.expected_gradient(0, reference.dx), 2 * tolerance,
               "gradient of the input");
  vectors.expect_gradients(true, reference.main, "gradients of scale and shift");
  if (two) {
    expect_close(bench.input_gradients[1], bench.expected_gradient(1, reference.dadded),
                 2 * tolerance, "gradient of what is added");
  }
  if (c.shortcut) shortcut.expect_gradients(true, reference.shortcut, "those of the shortcut");
}

// Sizes that the stride divides and others, and images of which one pixel is left.
TEST_F(KeptPixelsTest, EveryFormatAndShape) {
  const Case cases[] = {
      {3, {16, 4, 6}, 2},
      {2, {8, 7, 5}, 2, true},
      {3, {5, 5, 7}, 3, true, false, true, true, true},
      {2, {3, 2, 2}, 2},
      {1, {24, 1, 4}, 3, true},
      {4, {8, 5, 5}, 2, false, true},
      {3, {5, 3, 4}, 2, false, true, false, true, true},
      {2, {16, 6, 6}, 4, true, false, false},
      {5, {8, 1, 1}, 2},
      {2, {8, 55, 55}, 2, true},
  };
  for (const Format format : kFormats) {
    unsigned seed = 1;
    for (const Case& c : cases) expect_case(format, c, seed += 100);
  }
}

/// A bench of a batch norm with an add and a ReLU, of seed-dependent numbers.
struct Unit {
  NormVectors vectors;
  OperationBench bench;

  Unit(Format format, const Case& c, const Layer& layer)
      : vectors(layer, 60), bench(format, c.batch, {c.shape, c.shape}, layer) {
    bench.draw_all(5);
    bench.wiring.relu = true;
    bench.wiring.parameters = vectors.parameters(format.element);
  }
};

const Case kUnits[] = {{3, {16, 4, 6}, 2}, {2, {8, 7, 5}, 2}, {2, {5, 5, 7}, 3}, {1, {8, 2, 2}, 2}};

/// Draws the mask of a ReLU on `to`; the numbers of `part` that it cuts off become 0.
std::shared_ptr<DeviceMemory> draw_mask(const Tensor& to, Numbers& part) {
  const bool last = to.layout == Layout::nhwc;
  const auto wide = static_cast<std::size_t>(16 / bytes_of(to.element));
  const auto channels = static_cast<std::size_t>(to.shape.channels);
  const std::size_t pack = last && channels % wide == 0 ? wide : 1;
  std::vector<std::uint8_t> bytes(part.size() / pack);
  std::size_t i = 0;
  for (int n = 0; n < to.batch; ++n) {
    for (int c = 0; c < to.shape.channels; ++c) {
      for (int y = 0; y < to.shape.height; ++y) {
        for (int x = 0; x < to.shape.width; ++x, ++i) {
          const std::size_t at = place(to, n, c, y, x);
          if (i % 3 == 0) {
            part[i] = 0;
          } else {
            bytes[at / pack] |= static_cast<std::uint8_t>(1u << at % pack);
          }
        }
      }
    }
  }
  auto mask = std::make_shared<DeviceMemory>(bytes.size());
  copy_now(mask->data(), bytes.data(), bytes.size(), "writing a mask");
  return mask;
}

// A reader's part of the gradient is added at the pixels that it keeps, behind the reader's ReLU.
TEST_F(KeptPixelsTest, APartOfTheGradientMayBeOfKeptPixels) {
  for (const Format format : kFormats) {
    for (const Case& c : kUnits) {
      SCOPED_TRACE(format.name());
      const Layer layer = norm_layer(c.shape, true);
      Unit unit(format, c, layer);
      OperationBench& bench = unit.bench;
      const Shape shape = kept(c.shape, c.stride);
      DeviceTensor part(format, c.batch, shape);
      Numbers numbers = draw(part.elements(), 77, format.element);
      part.write(numbers);
      bench.wiring.kept_gradient = {part.tensor(), c.stride, draw_mask(part.tensor(), numbers)};
      bench.make(make_batch_norm);
      Numbers dy = bench.output_gradient;
      each_kept(c, [&](std::size_t whole, std::size_t at) { dy[whole] += numbers[at]; });
      const BatchNormReference reference({c.batch, c.shape, true, true, true}, bench.inputs[0],
                                         bench.inputs[1], dy, unit.vectors.scale,
                                         unit.vectors.shift);
      expect_close(bench.forward(), reference.y, format.tolerance(), "output");
      bench.backward();
      expect_close(bench.input_gradients[0], reference.dx, 2 * format.tolerance(), "gradient");
      expect_close(bench.input_gradients[1], reference.dadded, 2 * format.tolerance(), "added");
      unit.vectors.expect_gradients(true, reference, "gradients of scale and shift");
    }
  }
}

TEST_F(KeptPixelsTest, TakeSumsOfAllPixels) {
  for (const Format format : kFormats) {
    if (format.element == Element::fp32) continue;
    expect_case(format, {4, {16, 5, 5}, 2, true, false, true, false, false, true}, 31);
    expect_case(format, {4, {8, 7, 3}, 2, false, true, true, false, false, true}, 32);
  }
}

}  // namespace
}  // namespace paceline::cuda
