// SPDX-License-Identifier: MIT
/// \file
/// Mini-batches that stay on the device: for measuring speed without training, where what is
/// learned does not matter and the host should have no part in it.
#pragma once
#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// Two mini-batches in turn, those of steps 0 and 1. Another seed does not change them.
class ResidentBatches final : public BatchSource {
 public:
  /// Draws them and copies them to the current device; waits for `stream`, on which they are read.
  ResidentBatches(const BatchSetting& setting, cudaStream_t stream);

  Batch begin(std::int64_t step) override;
  void end() override {}
  void reseed(std::uint64_t) override {}
  /// In the device's memory.
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  DeviceMemory memory_;
  std::int64_t stride_;  ///< floats from one mini-batch to the next
  std::int64_t targets_at_;
};

}  // namespace paceline::cuda
