// SPDX-License-Identifier: MIT
/// \file
/// The layers that transformers add, computed slowly, from the definitions, in double and with
/// plain channels, height, width.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "models/network.hpp"

namespace paceline::reference {

using Tensor = std::vector<double>;

inline std::size_t at(Shape s, std::size_t item, int c, int y, int x) {
  const auto plane = static_cast<std::size_t>(s.height * s.width);
  return (item * static_cast<std::size_t>(s.channels) + static_cast<std::size_t>(c)) * plane +
         static_cast<std::size_t>(y * s.width + x);
}
template <class Visit>
void each(Shape s, Visit visit) {
  for (int c = 0; c < s.channels; ++c) {
    for (int y = 0; y < s.height; ++y) {
      for (int x = 0; x < s.width; ++x) visit(c, y, x);
    }
  }
}

inline void normalise_positions(const Layer& l, std::size_t items, const Tensor& x, const double* w,
                                Tensor& y) {
  const int channels = l.in.channels;
  for (std::size_t n = 0; n < items; ++n) {
    each({1, l.in.height, l.in.width}, [&](int, int iy, int ix) {
      double mean = 0, variance = 0;
      for (int c = 0; c < channels; ++c) mean += x[at(l.in, n, c, iy, ix)] / channels;
      for (int c = 0; c < channels; ++c) {
        variance += std::pow(x[at(l.in, n, c, iy, ix)] - mean, 2) / channels;
      }
      for (int c = 0; c < channels; ++c) {
        const double normal = (x[at(l.in, n, c, iy, ix)] - mean) / std::sqrt(variance + 1e-5);
        y[at(l.in, n, c, iy, ix)] = normal * w[c] + w[channels + c];
      }
    });
  }
}

inline void attend(const Layer& l, std::size_t items, const Tensor& x, Tensor& y) {
  const int channels = l.out.channels, features = channels / l.heads;
  for (std::size_t n = 0; n < items; ++n) {
    each(l.out, [&](int c, int t, int) {
      const int head = c / features * features;
      const int seen = l.causal ? t + 1 : l.in.height;
      double above = 0, below = 0;
      for (int s = 0; s < seen; ++s) {
        double score = 0;
        for (int k = head; k < head + features; ++k) {
          score += x[at(l.in, n, k, t, 0)] * x[at(l.in, n, channels + k, s, 0)];
        }
        const double share = std::exp(score / std::sqrt(features));
        above += share * x[at(l.in, n, 2 * channels + c, s, 0)];
        below += share;
      }
      y[at(l.out, n, c, t, 0)] = above / below;
    });
  }
}

/// Adds a vector to each position.
inline void add_positions(const Layer& l, std::size_t items, const Tensor& x, const double* w,
                          Tensor& y) {
  for (std::size_t n = 0; n < items; ++n) {
    each(l.out, [&](int c, int t, int) {
      y[at(l.out, n, c, t, 0)] = x[at(l.in, n, c, t, 0)] + w[t * l.in.channels + c];
    });
  }
}

inline void keep_first_positions(const Layer& l, std::size_t items, const Tensor& x, Tensor& y) {
  for (std::size_t n = 0; n < items; ++n) {
    each(l.out, [&](int c, int t, int) { y[at(l.out, n, c, t, 0)] = x[at(l.in, n, c, t, 0)]; });
  }
}

inline void run_transformer_layer(const Layer& l, std::size_t items, const Tensor& x,
                                  const double* w, Tensor& y) {
  if (l.kind == LayerKind::position) return add_positions(l, items, x, w, y);
  if (l.kind == LayerKind::layer_norm) return normalise_positions(l, items, x, w, y);
  if (l.kind == LayerKind::attention) return attend(l, items, x, y);
  if (l.kind == LayerKind::select) return keep_first_positions(l, items, x, y);
  for (std::size_t k = 0; k < y.size(); ++k)  // GELU
    y[k] = x[k] * 0.5 * (1 + std::erf(x[k] / std::sqrt(2.0)));
}

}  // namespace paceline::reference
