// SPDX-License-Identifier: MIT
/// \file
/// Batch norm with an add and a ReLU in double, for tests of its kernels.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tests/exec/cuda/layers/operation_bench.hpp"

namespace paceline::cuda {

struct BatchNormCase {
  int batch;
  Shape shape;
  bool scale = true, add = false, relu = false;
  bool input_adds = false, added_adds = false;
  double mean = 0.5, deviation = 1;
};

/// A plain implementation in double, channel by channel.
struct BatchNormReference {
  Numbers y, dx, dadded, dscale, dshift;

  BatchNormReference(const BatchNormCase& c, const Numbers& x, const Numbers& added,
                     const Numbers& dy, const Numbers& scale, const Numbers& shift)
      : y(x.size()), dx(x.size()), dadded(x.size()) {
    for (int channel = 0; channel < c.shape.channels; ++channel) {
      std::vector<std::size_t> all;
      for (int n = 0; n < c.batch; ++n) {
        for (int row = 0; row < c.shape.height; ++row) {
          for (int column = 0; column < c.shape.width; ++column) {
            all.push_back(index_of(c.shape, n, channel, row, column));
          }
        }
      }
      const auto count = static_cast<double>(all.size());
      double mean = 0, variance = 0;
      for (const std::size_t i : all) mean += x[i] / count;
      for (const std::size_t i : all) variance += (x[i] - mean) * (x[i] - mean) / count;
      const double inverse = 1 / std::sqrt(variance + 1e-5);
      const double factor = scale[static_cast<std::size_t>(channel)];
      double sum = 0, product = 0;
      for (const std::size_t i : all) {
        const double normal = (x[i] - mean) * inverse;
        const double value =
            normal * factor + shift[static_cast<std::size_t>(channel)] + (c.add ? added[i] : 0);
        y[i] = c.relu ? std::max(value, 0.0) : value;
        dadded[i] = c.relu && value <= 0 ? 0 : dy[i];
        sum += dadded[i];
        product += dadded[i] * normal;
      }
      for (const std::size_t i : all) {
        const double normal = (x[i] - mean) * inverse;
        dx[i] = factor * inverse * (dadded[i] - sum / count - normal * product / count);
      }
      dshift.push_back(sum);
      dscale.push_back(product);
    }
  }
};

inline Layer norm_layer(Shape shape, bool scale) {
  Layer layer;
  layer.kind = LayerKind::batch_norm;
  layer.in = layer.out = shape;
  layer.scale = scale;
  return layer;
}

/// The vectors of a norm on the device, and their gradients.
struct NormVectors {
  Numbers scale, shift;
  DeviceArray<float> values, gradients;

  NormVectors(const Layer& layer, unsigned seed)
      : scale(layer.scale ? draw(layer.in.channels, seed, Element::fp32, 1, 0.2)
                          : Numbers(static_cast<std::size_t>(layer.in.channels), 1.0)),
        shift(draw(layer.in.channels, seed + 1, Element::fp32)),
        values(floats_on_device(joined(layer.scale ? scale : Numbers{}, shift))),
        gradients(floats_on_device(Numbers(values.read().size(), std::nan("")))) {}

  Parameters parameters(Element element) const {
    Parameters parameters;
    parameters.element = element;
    parameters.vectors = values.data();
    parameters.vector_gradients = gradients.data();
    return parameters;
  }
  static Numbers joined(Numbers all, const Numbers& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void expect_gradients(bool scales, const BatchNormReference& reference, const char* what) const {
    expect_close(numbers_of(gradients.read()),
                 joined(scales ? reference.dscale : Numbers{}, reference.dshift), 2e-5, what);
  }
};

/// The sums of `x` by channel and those of its squares, as a convolution writes them.
inline std::shared_ptr<ChannelSums> sums_of(const Numbers& x, Shape shape) {
  const auto channels = static_cast<std::size_t>(shape.channels);
  const auto pixels = static_cast<std::size_t>(shape.height * shape.width);
  auto sums = std::make_shared<ChannelSums>(shape.channels);
  sums->written = true;
  Numbers all(2 * channels);
  for (std::size_t i = 0; i < x.size(); ++i) {
    all[i / pixels % channels] += x[i];
    all[channels + i / pixels % channels] += x[i] * x[i];
  }
  const std::vector<float> floats(all.begin(), all.end());
  copy_now(sums->data(), floats.data(), floats.size() * sizeof(float), "writing sums");
  return sums;
}

}  // namespace paceline::cuda
