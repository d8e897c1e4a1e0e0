// SPDX-License-Identifier: MIT
/// \file
/// Where a worker's network has its mini-batches from. Asking for one waits for nothing: what is
/// queued waits on the device.
#pragma once
#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

#include "exec/cuda/network/cuda_network.hpp"
#include "training/arithmetic/dataset.hpp"

namespace paceline::cuda {

/// A mini-batch in memory that the device reads: as CudaNetwork::load wants it.
struct Batch {
  const float* inputs = nullptr;
  const float* targets = nullptr;
};

/// Of one worker and one stream; for one thread.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Where the mini-batch of the worker's `step` will be; the stream waits until it is there.
  /// Throws what drawing an earlier one threw.
  virtual Batch begin(std::int64_t step) = 0;
  /// The stream tells that it has read the mini-batch of the last begin().
  virtual void end() = 0;
  /// Mini-batches are of another seed from now on, from step 0; nothing that was begun is still
  /// queued.
  virtual void reseed(std::uint64_t seed) = 0;

  /// Queues the start of the mini-batch `work` on the network's stream.
  void feed(CudaNetwork& network, std::span<const std::uint32_t, 2> key, WorkId work) {
    const Batch batch = begin(work.step);
    network.load(batch.inputs, batch.targets, key, work);
    end();
  }
};

/// What the mini-batches of a worker are drawn from.
struct BatchSetting {
  const Dataset* dataset = nullptr;
  const Network* network = nullptr;
  int batch = 0;
  int worker = 0;
  std::uint64_t seed = 0;

  std::int64_t input_floats() const { return batch * network->input.elements(); }
  void draw(std::int64_t step, float* inputs, float* targets) const {
    dataset->draw(network->input, network->classes, seed, worker, step,
                  {inputs, static_cast<std::size_t>(input_floats())},
                  {targets, static_cast<std::size_t>(batch)});
  }
};

}  // namespace paceline::cuda
