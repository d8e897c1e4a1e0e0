// SPDX-License-Identifier: MIT
/// \file
/// Arrays of a run on this computer's GPUs. Those of a worker lie in its GPU's memory; those of a
/// server on the CPU in pinned memory, which GPUs read and write and where a HostArrayWork does the
/// server's work.
#pragma once
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "training/learning/arrays.hpp"

namespace paceline::cuda {

/// In place of a device's number: the CPU.
inline constexpr int kOnHost = -1;

class CudaArrayStore final : public ArrayStore {
 public:
  /// `devices`: where each role works, by CUDA's number or kOnHost. Throws Error, as all below.
  explicit CudaArrayStore(std::vector<int> devices) : devices_(std::move(devices)) {}

  SharedArray allocate(RoleId owner, std::size_t floats) override;
  void write(std::span<const float> from, const Array& to) override;
  std::vector<float> read(std::span<const float> from) const override;
  bool allocates_ahead() const override { return true; }

 private:
  std::vector<int> devices_;
};

/// Queues on one stream and returns. What depends on a norm or a distance is worked out while the
/// stream runs: the device finds the square, one of CUDA's threads asks the rule, and the device
/// goes on with the answer. A call waits for the stream only where kMostDeferred such are under
/// way. For one thread at a time.
class StreamArrayWork final : public ArrayWork {
 public:
  static constexpr int kMostDeferred = 32;

  /// On the current device, which `stream` is of. `stream`, and every optimizer given, must outlive
  /// this and the work.
  explicit StreamArrayWork(cudaStream_t stream);
  ~StreamArrayWork() override;

  void copy(std::span<float> to, std::span<const float> from) override;
  void assign(std::span<float> to, std::span<const float> from, float scale) override;
  void accumulate(std::span<float> into, std::span<const float> from, const Factor& factor,
                  bool fresh) override;
  void update(const Optimizer& optimizer, double rate, std::int64_t update,
              const UpdateArrays& arrays, const Factor& factor) override;

 private:
  class DeferredFactors;
  cudaStream_t stream_;
  std::unique_ptr<DeferredFactors> deferred_;
};

}  // namespace paceline::cuda
