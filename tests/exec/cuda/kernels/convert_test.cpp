// SPDX-License-Identifier: MIT
#include "exec/cuda/kernels/convert.hpp"

#include <cmath>
#include <utility>

#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {
namespace {

class ConvertTest : public DeviceTest {};

TEST_F(ConvertTest, InputsBecomeATensor) {
  struct Case {
    int batch;
    Shape shape;
  };
  const Case cases[] = {{3, {3, 5, 7}}, {1, {1, 28, 28}}, {2, {8, 4, 4}}, {5, {13, 1, 1}}};
  for (const Format format : kFormats) {
    for (const Case& c : cases) {
      SCOPED_TRACE(format.name() + ", " + std::to_string(c.shape.channels));
      const Numbers inputs = draw(c.batch * c.shape.elements(), 3, Element::fp32);
      const DeviceArray<float> batch = floats_on_device(inputs);
      DeviceTensor tensor(format, c.batch, c.shape);
      const DeviceStream stream;
      load_inputs({format.element, format.layout == Layout::nhwc, c.batch, c.shape.channels,
                   c.shape.channels, c.shape.height * c.shape.width},
                  batch.data(), tensor.tensor().data, stream.get());
      check(cudaStreamSynchronize(stream.get()), "waiting");
      EXPECT_EQ(tensor.read(), rounded(inputs, format.element));
    }
  }
}

TEST_F(ConvertTest, FurtherChannelsAreZeros) {
  const Shape shape{3, 5, 7}, padded{4, 5, 7};
  constexpr int kBatch = 3;
  for (const Element element : {Element::fp16, Element::bf16}) {
    const Numbers inputs = draw(kBatch * shape.elements(), 3, Element::fp32);
    const DeviceArray<float> batch = floats_on_device(inputs);
    DeviceTensor tensor({element, Layout::nhwc}, kBatch, padded);
    const DeviceStream stream;
    load_inputs({element, true, kBatch, 3, 4, 35}, batch.data(), tensor.tensor().data,
                stream.get());
    check(cudaStreamSynchronize(stream.get()), "waiting");
    Numbers expected;
    for (int item = 0; item < kBatch; ++item) {
      const auto image = inputs.begin() + item * shape.elements();
      expected.insert(expected.end(), image, image + shape.elements());
      expected.insert(expected.end(), 35, 0.0);
    }
    EXPECT_EQ(tensor.read(), rounded(expected, element));
  }
}

/// Matrices of many shapes with vectors between them, in both layouts.
struct Layers {
  std::vector<PackedMatrix> matrices{
      {5, 0, 4, 3, 9}, {0, 0, 10, 8, 1}, {0, 0, 1, 1, 1}, {0, 0, 3, 70, 49}, {0, 0, 2, 4, 1}};
  std::int64_t flat = 5, working = 0;

  Layers() {
    for (PackedMatrix& m : matrices) {
      m.flat = flat;
      m.working = working;
      flat += m.elements() + 7;                  // followed by a vector
      working += (m.elements() + 63) / 64 * 64;  // aligned
    }
    lay_tiles(matrices);
  }
  /// Offset of an element in the working weights.
  static std::size_t place(const PackedMatrix& m, bool channels_last, int out, int in, int s) {
    const std::int64_t inside =
        channels_last ? std::int64_t{s} * m.in + in : std::int64_t{in} * m.spatial + s;
    return static_cast<std::size_t>(m.working + std::int64_t{out} * m.in * m.spatial + inside);
  }
  template <class Visit>
  void each(std::size_t first, std::size_t last, bool channels_last, Visit visit) const {
    for (std::size_t k = first; k < last; ++k) {
      const PackedMatrix& m = matrices[k];
      auto flat_at = static_cast<std::size_t>(m.flat);
      for (int out = 0; out < m.out; ++out) {
        for (int in = 0; in < m.in; ++in) {
          for (int s = 0; s < m.spatial; ++s) {
            visit(flat_at++, place(m, channels_last, out, in, s));
          }
        }
      }
    }
  }
};

TEST_F(ConvertTest, OneLaunchPacksARangeOfLayers) {
  const Layers layers;
  const DeviceArray<PackedMatrix> table(layers.matrices);
  const Numbers weights = draw(layers.flat, 5, Element::fp32);
  const DeviceArray<float> flat = floats_on_device(weights);
  const std::pair<std::size_t, std::size_t> ranges[] = {{0, 5}, {1, 3}, {3, 4}, {4, 5}, {2, 2}};
  for (const Format format : kFormats) {
    for (const auto& [first, last] : ranges) {
      SCOPED_TRACE(format.name() + ", from " + std::to_string(first));
      DeviceTensor working({format.element, Layout::nchw}, 1,
                           {static_cast<int>(layers.working), 1, 1});
      const bool channels_last = format.layout == Layout::nhwc;
      const DeviceStream stream;
      pack_weights(flat.data(), working.tensor().data, {format.element, channels_last},
                   {table.data() + first, std::span(layers.matrices).subspan(first, last - first)},
                   stream.get());
      check(cudaStreamSynchronize(stream.get()), "waiting");
      Numbers expected(static_cast<std::size_t>(layers.working), std::nan(""));
      layers.each(first, last, channels_last, [&](std::size_t from, std::size_t to) {
        expected[to] = rounded(weights[from], format.element);
      });
      const Numbers got = working.read();
      for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(expected[i])) {
          ASSERT_TRUE(std::isnan(got[i])) << i << " is nobody's";
        } else {
          ASSERT_EQ(got[i], expected[i]) << i;
        }
      }
    }
  }
}

TEST_F(ConvertTest, AMatrixMayHaveFurtherChannelsOfZeros) {
  constexpr int kOut = 600, kIn = 3, kSpatial = 9, kPadded = 4;  // more than a tile
  std::vector<PackedMatrix> matrices{{2, 0, kOut, kIn, kSpatial, 0, kPadded - kIn}};
  lay_tiles(matrices);
  const DeviceArray<PackedMatrix> table(matrices);
  const MatrixRange range{table.data(), matrices};
  const Format format{Element::bf16, Layout::nhwc};
  const Numbers weights = rounded(draw(2 + kOut * kIn * kSpatial, 5, Element::fp32), Element::bf16);
  const DeviceArray<float> flat = floats_on_device(weights);
  DeviceTensor working({format.element, Layout::nchw}, 1, {kOut * kPadded * kSpatial, 1, 1});
  const DeviceStream stream;
  pack_weights(flat.data(), working.tensor().data, {format.element, true}, range, stream.get());
  const DeviceArray<float> back = floats_on_device(Numbers(weights.size(), -5));
  unpack_gradients(working.tensor().data, back.data(), {format.element, true}, nullptr, range,
                   stream.get());
  check(cudaStreamSynchronize(stream.get()), "waiting");
  const Numbers packed = working.read();
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const std::size_t channel = i % kPadded, pixel = i / kPadded;
    const std::size_t out = pixel / kSpatial, at = pixel % kSpatial;
    const bool own = channel < kIn;
    ASSERT_EQ(packed[i], own ? weights[2 + (out * kIn + channel) * kSpatial + at] : 0) << i;
  }
  Numbers expected = weights;
  expected[0] = expected[1] = -5;
  EXPECT_EQ(numbers_of(back.read()), expected);
}

TEST_F(ConvertTest, OneLaunchUnpacksScaledGradients) {
  const Layers layers;
  const DeviceArray<PackedMatrix> table(layers.matrices);
  for (const Format format : kFormats) {
    SCOPED_TRACE(format.name());
    const Numbers gradients = draw(layers.working, 6, format.element);
    DeviceTensor working({format.element, Layout::nchw}, 1,
                         {static_cast<int>(layers.working), 1, 1});
    working.write(gradients);
    const DeviceArray<float> flat =
        floats_on_device(Numbers(static_cast<std::size_t>(layers.flat), -5));
    const bool channels_last = format.layout == Layout::nhwc;
    const DeviceStream stream;
    const DeviceArray<LossScale> scale(std::vector<LossScale>{{4, 0.25f}});
    unpack_gradients(working.tensor().data, flat.data(), {format.element, channels_last},
                     scale.data(), {table.data(), layers.matrices}, stream.get());
    check(cudaStreamSynchronize(stream.get()), "waiting");
    Numbers expected(static_cast<std::size_t>(layers.flat), -5);  // vectors are not changed
    layers.each(0, layers.matrices.size(), channels_last,
                [&](std::size_t to, std::size_t from) { expected[to] = gradients[from] / 4; });
    EXPECT_EQ(numbers_of(flat.read()), expected);
    EXPECT_EQ(scale.read().front().ran, 1);
    EXPECT_EQ(scale.read().front().overflowed, 0);
  }
}

TEST_F(ConvertTest, GradientsThatAreNotFiniteBecomeZeroWhereThereIsAScale) {
  const Layers layers;
  const DeviceArray<PackedMatrix> table(layers.matrices);
  const MatrixRange all{table.data(), layers.matrices};
  for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    Numbers gradients(static_cast<std::size_t>(layers.working), 2);
    gradients[static_cast<std::size_t>(layers.matrices[1].working)] = bad;
    DeviceTensor working({Element::fp16, Layout::nchw}, 1,
                         {static_cast<int>(layers.working), 1, 1});
    working.write(gradients);
    const DeviceArray<float> flat =
        floats_on_device(Numbers(static_cast<std::size_t>(layers.flat), -5));
    const DeviceArray<LossScale> scale(std::vector<LossScale>{{2, 0.5f}});
    const DeviceStream stream;
    unpack_gradients(working.tensor().data, flat.data(), {Element::fp16, false}, scale.data(), all,
                     stream.get());
    check(cudaStreamSynchronize(stream.get()), "waiting");
    Numbers expected(static_cast<std::size_t>(layers.flat), -5);
    layers.each(0, layers.matrices.size(), false,
                [&](std::size_t to, std::size_t) { expected[to] = 1; });
    const auto place = static_cast<std::size_t>(layers.matrices[1].flat);
    expected[place] = 0;
    EXPECT_EQ(numbers_of(flat.read()), expected);
    EXPECT_EQ(scale.read().front().overflowed, 1);
    unpack_gradients(working.tensor().data, flat.data(), {Element::fp16, false}, nullptr, all,
                     stream.get());
    check(cudaStreamSynchronize(stream.get()), "waiting");
    EXPECT_FALSE(std::isfinite(flat.read()[place]));
  }
}

}  // namespace
}  // namespace paceline::cuda
