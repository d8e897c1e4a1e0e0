// SPDX-License-Identifier: MIT
/// \file
/// The loss of a network computed slowly, from the definitions, in double and with plain channels,
/// height, width: the reference for the fast arithmetic.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "models/network.hpp"
#include "tests/training/learning/arithmetic/reference_transformer.hpp"
#include "training/workload/random/dropout_mask.hpp"

namespace paceline {

class ReferenceLoss {
 public:
  ReferenceLoss(const Network& network, std::span<const float> inputs,
                std::span<const float> targets)
      : network_(network), targets_(targets), inputs_(inputs.begin(), inputs.end()) {}

  /// Mean loss of the mini-batch.
  double loss(const std::vector<double>& weights) {
    values_.assign(network_.layers.size(), {});
    const std::vector<std::int64_t> offsets = network_.parameter_offsets();
    double total = 0;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      const Layer& layer = network_.layers[i];
      const auto owner = layer.tied > 0 ? static_cast<std::size_t>(network_.first_embedding()) : i;
      values_[i].assign(items() * static_cast<std::size_t>(layer.out.elements()), 0.0);
      total += run(i, value(layer.inputs.front()), weights.data() + offsets[owner], values_[i]);
    }
    return total;
  }

  /// Sets the draw of dropout layers; without a draw they keep all elements.
  void draw_dropout(const std::optional<DropoutDraw>& draw) { draw_ = draw; }

  /// The gradient's element `index` by central differences.
  double derivative(std::vector<double> weights, std::size_t index) {
    constexpr double kStep = 1e-7;  // a kink of ReLU within a larger step spoils the difference
    const double at = weights[index];
    weights[index] = at + kStep;
    const double above = loss(weights);
    weights[index] = at - kStep;
    return (above - loss(weights)) / (2 * kStep);
  }

 private:
  using Tensor = reference::Tensor;
  template <class Visit>
  static void each(Shape s, Visit visit) {
    reference::each(s, visit);
  }
  static std::size_t at(Shape s, std::size_t item, int c, int y, int x) {
    return reference::at(s, item, c, y, x);
  }
  std::size_t items() const { return targets_.size(); }
  const Tensor& value(int tensor) const {
    return tensor < 0 ? inputs_ : values_[static_cast<std::size_t>(tensor)];
  }
  /// Makes the value of a layer; returns the loss if that is what it makes, else 0.
  double run(std::size_t i, const Tensor& x, const double* w, Tensor& y) {
    const Layer& layer = network_.layers[i];
    switch (layer.kind) {
      case LayerKind::convolution:
        convolve(layer, x, w, y);
        break;
      case LayerKind::fully_connected:
        connect(layer, x, w, y);
        break;
      case LayerKind::batch_norm:
        normalise(layer, x, w, y);
        break;
      case LayerKind::max_pool:
      case LayerKind::average_pool:
        pool(layer, x, y);
        break;
      case LayerKind::local_response_norm:
        respond(layer, x, y);
        break;
      case LayerKind::add:
      case LayerKind::concat:
      case LayerKind::pad:
        join(layer, y);
        break;
      case LayerKind::softmax:
        return cross_entropy(layer, x);
      case LayerKind::squared_error:
        return half_squares(x);
      case LayerKind::embedding:
        look_up(layer, x, w, y);
        break;
      case LayerKind::lstm:
        remember(layer, x, w, y);
        break;
      case LayerKind::dropout:
        thin(layer, static_cast<std::uint32_t>(i), x, y);
        break;
      case LayerKind::synthetic:
        y = x;
        break;
      case LayerKind::activation:
        std::ranges::transform(x, y.begin(), [](double v) { return std::max(v, 0.0); });
        break;
      default:
        reference::run_transformer_layer(layer, items(), x, w, y);
    }
    return 0;
  }
  /// Visits the positions in the window of output (y, x) that lie inside the input.
  template <class Visit>
  static void window(const Layer& l, int y, int x, Visit visit) {
    for (int ky = 0; ky < l.kernel_height; ++ky) {
      for (int kx = 0; kx < l.kernel_width; ++kx) {
        const int iy = y * l.stride - l.pad_top + ky;
        const int ix = x * l.stride - l.pad_left + kx;
        if (iy < 0 || ix < 0 || iy >= l.in.height || ix >= l.in.width) continue;
        visit(iy, ix, ky * l.kernel_width + kx);
      }
    }
  }

  void convolve(const Layer& l, const Tensor& x, const double* w, Tensor& y) const {
    const int kernel = l.kernel_height * l.kernel_width;
    const double* bias = w + static_cast<std::ptrdiff_t>(l.out.channels) * l.in.channels * kernel;
    for (std::size_t n = 0; n < items(); ++n) {
      each(l.out, [&](int c, int oy, int ox) {
        double sum = l.bias ? bias[c] : 0.0;
        window(l, oy, ox, [&](int iy, int ix, int k) {
          for (int i = 0; i < l.in.channels; ++i) {
            sum += w[(c * l.in.channels + i) * kernel + k] * x[at(l.in, n, i, iy, ix)];
          }
        });
        y[at(l.out, n, c, oy, ox)] = sum;
      });
    }
  }

  void connect(const Layer& l, const Tensor& x, const double* w, Tensor& y) const {
    const auto in = static_cast<std::size_t>(l.in.elements());
    const auto out = static_cast<std::size_t>(l.out.channels);
    for (std::size_t n = 0; n < items(); ++n) {
      for (std::size_t o = 0; o < out; ++o) {
        double sum = l.bias ? w[out * in + o] : 0.0;
        for (std::size_t i = 0; i < in; ++i) sum += w[o * in + i] * x[n * in + i];
        y[n * out + o] = sum;
      }
    }
  }

  void normalise(const Layer& l, const Tensor& x, const double* w, Tensor& y) const {
    const auto count = static_cast<double>(items()) * l.in.height * l.in.width;
    const double* shift = l.scale ? w + l.in.channels : w;
    for (int c = 0; c < l.in.channels; ++c) {
      const Shape plane{1, l.in.height, l.in.width};
      double mean = 0, variance = 0;
      const auto all = [&](auto visit) {
        for (std::size_t n = 0; n < items(); ++n) {
          each(plane, [&](int, int iy, int ix) { visit(at(l.in, n, c, iy, ix)); });
        }
      };
      all([&](std::size_t k) { mean += x[k] / count; });
      all([&](std::size_t k) { variance += (x[k] - mean) * (x[k] - mean) / count; });
      const double scale = (l.scale ? w[c] : 1.0) / std::sqrt(variance + 1e-5);
      all([&](std::size_t k) { y[k] = (x[k] - mean) * scale + shift[c]; });
    }
  }

  void pool(const Layer& l, const Tensor& x, Tensor& y) const {
    for (std::size_t n = 0; n < items(); ++n) {
      each(l.out, [&](int c, int oy, int ox) {
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        int count = 0;
        window(l, oy, ox, [&](int iy, int ix, int) {
          const double v = x[at(l.in, n, c, iy, ix)];
          largest = std::max(largest, v);
          sum += v;
          ++count;
        });
        y[at(l.out, n, c, oy, ox)] = l.kind == LayerKind::max_pool ? largest : sum / count;
      });
    }
  }

  void respond(const Layer& l, const Tensor& x, Tensor& y) const {
    for (std::size_t n = 0; n < items(); ++n) {
      each(l.in, [&](int c, int iy, int ix) {
        double squares = 0;
        for (int k = c - (l.norm_size - 1) / 2; k <= c + l.norm_size / 2; ++k) {
          if (k < 0 || k >= l.in.channels) continue;
          squares += std::pow(x[at(l.in, n, k, iy, ix)], 2);
        }
        const std::size_t here = at(l.in, n, c, iy, ix);
        y[here] = x[here] * std::pow(1 + l.norm_alpha / l.norm_size * squares, -l.norm_beta);
      });
    }
  }

  void join(const Layer& l, Tensor& y) const {
    int before = l.kind == LayerKind::pad ? (l.out.channels - l.in.channels) / 2 : 0;
    for (const int input : l.inputs) {
      const Tensor& x = value(input);
      const Shape in =
          input < 0 ? network_.input : network_.layers[static_cast<std::size_t>(input)].out;
      for (std::size_t n = 0; n < items(); ++n) {
        each(in, [&](int c, int iy, int ix) {
          y[at(l.out, n, before + c, iy, ix)] += x[at(in, n, c, iy, ix)];
        });
      }
      if (l.kind == LayerKind::concat) before += in.channels;
    }
  }

  void look_up(const Layer& l, const Tensor& x, const double* w, Tensor& y) const {
    for (std::size_t n = 0; n < items(); ++n) {
      each(l.out, [&](int c, int t, int) {
        const auto token = static_cast<std::ptrdiff_t>(x[at(l.in, n, 0, t, 0)]);
        y[at(l.out, n, c, t, 0)] = w[token * l.out.channels + c];
      });
    }
  }

  /// Computes an LSTM: gates by row block (input, forget, candidate, output), initial states zero.
  void remember(const Layer& l, const Tensor& x, const double* w, Tensor& y) const {
    const int in = l.in.channels, units = l.out.channels;
    const double* recurrent = w + static_cast<std::ptrdiff_t>(4) * units * in;
    const double* bias = recurrent + static_cast<std::ptrdiff_t>(4) * units * units;
    const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
    for (std::size_t n = 0; n < items(); ++n) {
      Tensor cell(static_cast<std::size_t>(units), 0.0);
      for (int t = 0; t < l.in.height; ++t) {
        const auto sum = [&](int row) {
          double s = bias[row];
          for (int i = 0; i < in; ++i) s += w[row * in + i] * x[at(l.in, n, i, t, 0)];
          for (int i = 0; t > 0 && i < units; ++i) {
            s += recurrent[row * units + i] * y[at(l.out, n, i, t - 1, 0)];
          }
          return s;
        };
        for (int c = 0; c < units; ++c) {
          double& state = cell[static_cast<std::size_t>(c)];
          state = sigmoid(sum(units + c)) * state + sigmoid(sum(c)) * std::tanh(sum(2 * units + c));
          y[at(l.out, n, c, t, 0)] = sigmoid(sum(3 * units + c)) * std::tanh(state);
        }
      }
    }
  }

  void thin(const Layer& l, std::uint32_t index, const Tensor& x, Tensor& y) const {
    y = x;
    if (!draw_) return;
    DropoutDraw draw = *draw_;
    draw.layer = index;
    std::uint64_t element = 0;
    for (std::size_t n = 0; n < items(); ++n) {
      for (int iy = 0; iy < l.in.height; ++iy) {
        for (int ix = 0; ix < l.in.width; ++ix) {
          for (int c = 0; c < l.in.channels; ++c, ++element) {
            const bool keep = keeps(draw, element, dropout_threshold(l.dropout_rate));
            y[at(l.in, n, c, iy, ix)] *= keep ? 1 / (1 - l.dropout_rate) : 0;
          }
        }
      }
    }
  }

  double cross_entropy(const Layer& l, const Tensor& x) const {
    const auto classes = static_cast<std::size_t>(l.in.channels);
    double total = 0;
    for (std::size_t n = 0; n < items(); ++n) {
      double sum = 0;
      for (std::size_t c = 0; c < classes; ++c) sum += std::exp(x[n * classes + c]);
      total += std::log(sum) - x[n * classes + static_cast<std::size_t>(targets_[n])];
    }
    return total / static_cast<double>(items());
  }

  double half_squares(const Tensor& x) const {
    double total = 0;
    for (std::size_t n = 0; n < items(); ++n) {
      total += (x[n] - targets_[n]) * (x[n] - targets_[n]) / 2;
    }
    return total / static_cast<double>(items());
  }

  const Network& network_;
  std::span<const float> targets_;
  Tensor inputs_;
  std::vector<Tensor> values_;
  std::optional<DropoutDraw> draw_;
};

}  // namespace paceline
