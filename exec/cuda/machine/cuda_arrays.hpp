// SPDX-License-Identifier: MIT
/// \file
/// The arrays of an execution on this computer's GPUs. A worker's arrays are in its GPU's memory.
/// Those of a server on the CPU are in pinned memory, which GPUs access directly, and the server's
/// arithmetic is a HostArrayWork.
#pragma once
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "exec/cuda/runtime/memory.hpp"
#include "training/learning/arrays.hpp"

namespace paceline::cuda {

/// Stands for the CPU in place of a device number.
inline constexpr int kOnHost = -1;

class CudaArrayStore final : public ArrayStore {
 public:
  /// `devices`: for each role its CUDA device number or kOnHost. All functions throw Error.
  explicit CudaArrayStore(std::vector<int> devices) : devices_(std::move(devices)) {}

  SharedArray allocate(RoleId owner, std::size_t floats) override;
  void write(std::span<const float> from, const Array& to) override;
  std::vector<float> read(std::span<const float> from) const override;
  bool allocates_ahead() const override { return true; }

 private:
  std::vector<int> devices_;
};

/// Queues on one stream and returns. Factors that depend on a norm or a distance are computed while
/// the stream runs: the device computes the square, a host function on a CUDA thread applies the
/// rule, and the device continues with the result. A call blocks only if kMostDeferred such factors
/// are pending. Not thread-safe.
class StreamArrayWork final : public ArrayWork {
 public:
  static constexpr int kMostDeferred = 32;

  /// Requires that the current device is that of `stream`. `stream` and every optimizer passed must
  /// outlive this and the queued work.
  explicit StreamArrayWork(cudaStream_t stream);
  ~StreamArrayWork() override;

  void copy(std::span<float> to, std::span<const float> from) override;
  void assign(std::span<float> to, std::span<const float> from, float scale) override;
  void accumulate(std::span<float> into, std::span<const float> from, const Factor& factor,
                  bool fresh) override;
  void encode(const GradientCodec& codec, std::span<float> words, std::span<const float> numbers,
              std::span<float> residual) override;
  void decode(const GradientCodec& codec, std::span<float> into, std::span<const float> words,
              const Factor& factor, bool fresh) override;
  void add_halves(std::span<float> into, std::span<const float> from) override;
  void update(const Optimizer& optimizer, double rate, std::int64_t update,
              const UpdateArrays& arrays, const Factor& factor) override;

 private:
  class DeferredFactors;
  cudaStream_t stream_;
  std::unique_ptr<DeferredFactors> deferred_;
  DeviceMemory scratch_;  ///< of encodings
  DeviceMemory layers_;   ///< of updates by layer-wise optimizers; allocated by the first
};

}  // namespace paceline::cuda
