// SPDX-License-Identifier: MIT
/// \file
/// Batch norm with an add and a ReLU in double, for tests of its kernels.
#pragma once
#include <algorithm>
#include <cmath>
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

}  // namespace paceline::cuda
