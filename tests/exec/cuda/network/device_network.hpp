// SPDX-License-Identifier: MIT
/// \file
/// A CudaNetwork with its weights, gradient and mini-batches, for tests.
#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "exec/cuda/layers/algorithm_cache.hpp"
#include "exec/cuda/network/cuda_network.hpp"
#include "exec/cuda/runtime/check.hpp"
#include "exec/cuda/runtime/memory.hpp"
#include "exec/cuda/runtime/stream.hpp"

namespace paceline::cuda {

class DeviceNetwork {
 public:
  static constexpr std::array<std::uint32_t, 2> kKey{5, 7};  ///< of its repeat

  /// With `choices`, networks that share them compute by the same algorithms: times decide which,
  /// and times vary.
  explicit DeviceNetwork(const NetworkSetting& setting, AlgorithmCache* choices = nullptr)
      : count_(static_cast<std::size_t>(setting.network->parameters())),
        layers_(static_cast<int>(setting.network->layers.size())),
        weights_(count_ * sizeof(float)),
        gradient_(count_ * sizeof(float)),
        staged_(count_ * sizeof(float)),
        inputs_(static_cast<std::size_t>(setting.batch * setting.network->input.elements()) *
                sizeof(float)),
        targets_(static_cast<std::size_t>(setting.batch) * sizeof(float)),
        network_(setting, weights_.as<float>(), gradient_.as<float>(), stream_.get(),
                 choices != nullptr ? *choices : own_choices_) {}

  CudaNetwork& network() { return network_; }
  cudaStream_t stream() const { return stream_.get(); }
  void wait() { check(cudaStreamSynchronize(stream_.get()), "waiting"); }

  void set_weights(const std::vector<float>& weights) {
    std::copy(weights.begin(), weights.end(), staged_.as<float>());
    copy(weights_.data(), staged_.data());
  }
  /// Sets the gradient to NaN, so that elements that are not written show.
  void poison_gradient() {
    std::fill_n(staged_.as<float>(), count_, std::numeric_limits<float>::quiet_NaN());
    copy(gradient_.data(), staged_.data());
  }
  std::vector<float> gradient() {
    copy(staged_.data(), gradient_.data());
    return {staged_.as<float>(), staged_.as<float>() + count_};
  }

  void load(const std::vector<float>& inputs, const std::vector<float>& targets,
            std::int64_t step = 0) {
    wait();
    ASSERT_EQ(inputs.size() * sizeof(float), inputs_.bytes());
    std::copy(inputs.begin(), inputs.end(), inputs_.as<float>());
    std::copy(targets.begin(), targets.end(), targets_.as<float>());
    network_.load(inputs_.as<float>(), targets_.as<float>(), kKey, {0, step});
  }
  /// Runs both passes of the mini-batch in `pieces` ranges each.
  void pass(int pieces = 1) {
    for (int i = 0; i < pieces; ++i) run(Pass::forward, i, pieces);
    for (int i = pieces; i-- > 0;) run(Pass::backward, i, pieces);
  }
  /// Runs piece `i` of a pass.
  void run(Pass pass, int i, int pieces) {
    network_.run({pass, layers_ * i / pieces, layers_ * (i + 1) / pieces});
  }
  float loss(std::int64_t step = 0) {
    wait();
    return network_.loss(step);
  }

 private:
  void copy(void* to, const void* from) {
    check(cudaMemcpyAsync(to, from, count_ * sizeof(float), cudaMemcpyDefault, stream_.get()),
          "copying");
    wait();
  }

  std::size_t count_;
  int layers_;
  DeviceStream stream_;
  DeviceMemory weights_, gradient_;
  PinnedMemory staged_, inputs_, targets_;
  AlgorithmCache own_choices_{""};
  CudaNetwork network_;
};

/// A trainable tensor: a slice of the flat layout.
struct NamedSlice {
  std::string name;
  std::size_t begin = 0, end = 0;
};

/// Every layer's matrix and the vectors that follow it.
inline std::vector<NamedSlice> tensors_of(const Network& network) {
  std::vector<NamedSlice> slices;
  std::size_t next = 0;
  for (const Layer& layer : network.layers) {
    const auto count = static_cast<std::size_t>(layer.parameters);
    std::size_t vectors = 0;
    if (layer.bias) vectors = static_cast<std::size_t>(layer.out.channels);
    if (layer.kind == LayerKind::batch_norm) vectors = static_cast<std::size_t>(layer.in.channels);
    if (layer.kind == LayerKind::lstm) vectors = 4 * static_cast<std::size_t>(layer.out.channels);
    if (count > vectors) slices.push_back({layer.name + " matrix", next, next + count - vectors});
    if (vectors > 0)
      slices.push_back({layer.name + " vector", next + count - vectors, next + count});
    next += count;
  }
  return slices;
}

/// Compares by the L2 distance, relative to the expected tensor or to the share `least` of the
/// longest one: a gradient that is 0 except for rounding (a bias before a batch norm) has no scale
/// of its own.
inline void expect_close(const Network& network, const std::vector<float>& found,
                         const std::vector<float>& expected, double bound, double least = 1e-2) {
  ASSERT_EQ(found.size(), expected.size());
  struct Sums {
    double expected = 0, difference = 0;
  };
  std::vector<Sums> sums;
  double longest = 0;
  const std::vector<NamedSlice> slices = tensors_of(network);
  for (const NamedSlice& slice : slices) {
    Sums sum;
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      const double difference = static_cast<double>(found[i]) - static_cast<double>(expected[i]);
      sum.difference += difference * difference;
      sum.expected += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
    }
    longest = std::max(longest, std::sqrt(sum.expected));
    sums.push_back(sum);
  }
  for (std::size_t k = 0; k < slices.size(); ++k) {
    const double length = std::max(std::sqrt(sums[k].expected), least * longest);
    EXPECT_LE(std::sqrt(sums[k].difference), bound * length) << slices[k].name;
  }
}

}  // namespace paceline::cuda
