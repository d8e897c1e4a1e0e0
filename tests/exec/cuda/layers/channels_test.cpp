// SPDX-License-Identifier: MIT
// Concat and pad.
#include "tests/exec/cuda/device_fixture.hpp"
#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {
namespace {

class ChannelsTest : public DeviceTest {};

TEST_F(ChannelsTest, Concat) {
  const std::vector<std::vector<int>> cases{{8, 16, 24}, {5}, {3, 1, 8}, {8, 4}};
  for (const Format format : kFormats) {
    for (const std::vector<int>& widths : cases) {
      for (const Shape plane : {Shape{1, 4, 2}, Shape{1, 3, 3}, Shape{1, 1, 1}}) {
        SCOPED_TRACE(format.name() + ", " + std::to_string(widths.size()) + " inputs");
        std::vector<Shape> shapes;
        int channels = 0;
        for (const int width : widths) {
          shapes.push_back({width, plane.height, plane.width});
          channels += width;
        }
        Layer layer;
        layer.kind = LayerKind::concat;
        layer.in = shapes.front();
        layer.out = {channels, plane.height, plane.width};
        OperationBench bench(format, 3, shapes, layer);
        bench.draw_all(41);
        bench.wiring.inputs.back().adds = true;
        bench.make(make_concat);
        const Numbers y = bench.forward();
        bench.backward();
        int before = 0;
        for (std::size_t k = 0; k < shapes.size(); ++k) {
          Numbers out, dx;
          for (int n = 0; n < 3; ++n) {
            for (int c = 0; c < widths[k]; ++c) {
              for (int p = 0; p < plane.height * plane.width; ++p) {
                const std::size_t i = index_of(layer.out, n, before + c, 0, p);
                out.push_back(y[i]);
                dx.push_back(bench.output_gradient[i]);
              }
            }
          }
          EXPECT_EQ(out, bench.inputs[k]);
          expect_close(bench.input_gradients[k], bench.expected_gradient(k, dx), format.tolerance(),
                       "gradient");
          before += widths[k];
        }
      }
    }
  }
}

TEST_F(ChannelsTest, Pad) {
  struct Case {
    Shape in;
    int channels;
    int stride;
  };
  const Case cases[] = {{{16, 3, 3}, 32, 1}, {{16, 4, 5}, 64, 2}, {{5, 3, 3}, 9, 1},
                        {{1, 5, 4}, 3, 2},   {{8, 1, 1}, 8, 1},   {{8, 4, 4}, 10, 3}};
  for (const Format format : kFormats) {
    for (const Case& c : cases) {
      for (const bool adds : {false, true}) {
        SCOPED_TRACE(format.name() + ", " + std::to_string(c.in.channels));
        Layer layer;
        layer.kind = LayerKind::pad;
        layer.in = c.in;
        layer.stride = c.stride;
        layer.out = {c.channels, (c.in.height - 1) / c.stride + 1, (c.in.width - 1) / c.stride + 1};
        OperationBench bench(format, 2, {c.in}, layer);
        bench.draw_all(43);
        bench.wiring.inputs[0].adds = adds;
        bench.make(make_pad);
        Numbers y(bench.output_gradient.size()), dx(bench.inputs[0].size());
        const int before = (c.channels - c.in.channels) / 2;
        for (int n = 0; n < 2; ++n) {
          for (int channel = 0; channel < c.in.channels; ++channel) {
            for (int row = 0; row < layer.out.height; ++row) {
              for (int column = 0; column < layer.out.width; ++column) {
                const std::size_t out = index_of(layer.out, n, before + channel, row, column);
                const std::size_t in =
                    index_of(c.in, n, channel, row * c.stride, column * c.stride);
                y[out] = bench.inputs[0][in];
                dx[in] = bench.output_gradient[out];
              }
            }
          }
        }
        EXPECT_EQ(bench.forward(), y);
        bench.backward();
        expect_close(bench.input_gradients[0], bench.expected_gradient(0, dx), format.tolerance(),
                     "gradient");
      }
    }
  }
}

}  // namespace
}  // namespace paceline::cuda
