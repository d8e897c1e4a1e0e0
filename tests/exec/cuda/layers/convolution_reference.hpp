// SPDX-License-Identifier: MIT
/// \file
/// Convolutions in double by their definition, as a reference.
#pragma once
#include <algorithm>
#include <vector>

#include "models/network.hpp"
#include "tests/exec/cuda/layers/on_device.hpp"

namespace paceline::cuda {

/// Tensors are [item][channel][height][width], filters [output][input][height][width].
struct ConvolutionReference {
  const Layer& layer;
  int batch = 0;

  Numbers forward(const Numbers& x, const Numbers& w, const Numbers& bias, bool relu) const {
    Numbers y(size(layer.out, batch));
    each([&](std::size_t image, std::size_t filter, std::size_t map) {
      y[map] += x[image] * w[filter];
    });
    const auto pixels = static_cast<std::size_t>(layer.out.height * layer.out.width);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!bias.empty()) y[i] += bias[i / pixels % bias.size()];
      if (relu) y[i] = std::max(y[i], 0.0);
    }
    return y;
  }

  Numbers weight_gradient(const Numbers& x, const Numbers& dy) const {
    const Shape filter{layer.in.channels, layer.kernel_height, layer.kernel_width};
    Numbers dw(size(filter, layer.out.channels));
    each([&](std::size_t image, std::size_t f, std::size_t map) { dw[f] += x[image] * dy[map]; });
    return dw;
  }

  Numbers data_gradient(const Numbers& w, const Numbers& dy) const {
    Numbers dx(size(layer.in, batch));
    each([&](std::size_t image, std::size_t f, std::size_t map) { dx[image] += w[f] * dy[map]; });
    return dx;
  }

  Numbers bias_gradient(const Numbers& dy) const {
    Numbers db(static_cast<std::size_t>(layer.out.channels));
    const auto pixels = static_cast<std::size_t>(layer.out.height * layer.out.width);
    for (std::size_t i = 0; i < dy.size(); ++i) db[i / pixels % db.size()] += dy[i];
    return db;
  }

 private:
  static std::size_t size(Shape shape, int items) {
    return static_cast<std::size_t>(shape.elements() * items);
  }

  /// Calls f(offset in the image, in the filters, in the map) for every product.
  template <class F>
  void each(F f) const {
    for (int n = 0; n < batch; ++n) {
      for (int k = 0; k < layer.out.channels; ++k) {
        for (int p = 0; p < layer.out.height; ++p) {
          for (int q = 0; q < layer.out.width; ++q) each_of_pixel(n, k, p, q, f);
        }
      }
    }
  }
  template <class F>
  void each_of_pixel(int n, int k, int p, int q, F& f) const {
    const std::size_t map = place(n, k, p, q, layer.out);
    const Shape filter{layer.in.channels, layer.kernel_height, layer.kernel_width};
    for (int c = 0; c < layer.in.channels; ++c) {
      for (int r = 0; r < layer.kernel_height; ++r) {
        for (int s = 0; s < layer.kernel_width; ++s) {
          const int y = p * layer.stride - layer.pad_top + r;
          const int x = q * layer.stride - layer.pad_left + s;
          if (y < 0 || y >= layer.in.height || x < 0 || x >= layer.in.width) continue;
          f(place(n, c, y, x, layer.in), place(k, c, r, s, filter), map);
        }
      }
    }
  }
  static std::size_t place(int item, int channel, int y, int x, Shape shape) {
    return static_cast<std::size_t>(
        ((item * shape.channels + channel) * shape.height + y) * shape.width + x);
  }
};

}  // namespace paceline::cuda
