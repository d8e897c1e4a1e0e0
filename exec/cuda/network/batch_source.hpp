// SPDX-License-Identifier: MIT
/// \file
/// The source of the mini-batches of a worker's network. Requesting one does not block: the queued
/// work waits on the device.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/network/cuda_network.hpp"
#include "training/learning/datasets/dataset.hpp"
#include "training/workload/lengths/batch_lengths.hpp"

namespace paceline::cuda {

/// A mini-batch in memory that the device can read, in the format of CudaNetwork::load.
struct Batch {
  const float* inputs = nullptr;
  const float* targets = nullptr;
  const int* lengths = nullptr;  ///< of sequences of unequal length
};

/// For one worker and one stream. Not thread-safe.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// The address of the mini-batch of the worker's `step`; queues a wait for it on the stream.
  /// Throws the exception of an earlier draw.
  virtual Batch begin(std::int64_t step) = 0;
  /// Queues a signal that the mini-batch of the last begin() has been read.
  virtual void end() = 0;
  /// Changes the seed and restarts at step 0. Requires that nothing that was begun is still queued.
  virtual void reseed(std::uint64_t seed) = 0;

  /// Queues the start of the mini-batch `work` on the network's stream.
  void feed(CudaNetwork& network, std::span<const std::uint32_t, 2> key, WorkId work) {
    const Batch batch = begin(work.step);
    network.load(batch.inputs, batch.targets, key, work, batch.lengths);
    end();
  }
};

/// The parameters of a worker's mini-batches.
struct BatchSetting {
  const Dataset* dataset = nullptr;
  const Network* network = nullptr;
  int batch = 0;
  int worker = 0;
  std::uint64_t seed = 0;
  bool validates = false;  ///< batches of validation, by number in place of the step
  const BatchLengths* lengths =
      nullptr;  ///< of sequences of unequal length; null: of the network's

  /// Of the largest mini-batch.
  std::int64_t input_floats() const {
    if (lengths == nullptr) return batch * network->input.elements();
    const auto positions = [](const BatchShape& shape) { return shape.positions(); };
    return std::ranges::max(lengths->shapes(), {}, positions).positions() * network->input.channels;
  }
  /// Of the mini-batch of most items.
  std::int64_t items() const {
    return lengths == nullptr ? batch
                              : std::ranges::max(lengths->shapes(), {}, &BatchShape::items).items;
  }
  /// `own`: the lengths of sequences, where these are unequal.
  void draw(std::int64_t step, float* inputs, float* targets, int* own) const {
    if (lengths == nullptr) return draw(step, inputs, targets);
    std::vector<int> drawn;
    Shape input = network->input;
    input.height = lengths->shapes()[lengths->draw(seed, worker, step, drawn).shape].length;
    std::vector<double> ranks;
    for (const int one : drawn) ranks.push_back(lengths->rank(one));
    dataset->draw_sequences(input, network->classes, seed, worker, step, {drawn, ranks},
                            {inputs, drawn.size() * static_cast<std::size_t>(input.elements())},
                            {targets, drawn.size()});
    std::ranges::copy(drawn, own);
  }
  void draw(std::int64_t step, float* inputs, float* targets) const {
    const std::span<float> to{inputs, static_cast<std::size_t>(input_floats())};
    const std::span<float> with{targets, static_cast<std::size_t>(batch)};
    if (validates) {
      dataset->held_out(network->input, network->classes, seed, validation_block(worker, step), to,
                        with);
    } else {
      dataset->draw(network->input, network->classes, seed, worker, step, to, with);
    }
  }
};

}  // namespace paceline::cuda
