// SPDX-License-Identifier: MIT
/// \file
/// Mini-batches that stay on the device, for speed measurements without training: the data do not
/// matter, and the host should not take part.
#pragma once
#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/runtime/memory.hpp"

namespace paceline::cuda {

/// Alternates between the mini-batches of steps 0 and 1. reseed() does not change them.
class ResidentBatches final : public BatchSource {
 public:
  /// Draws them and copies them to the current device; synchronises with `stream`, on which they
  /// are read.
  ResidentBatches(const BatchSetting& setting, cudaStream_t stream);

  Batch begin(std::int64_t step) override;
  void end() override {}
  void reseed(std::uint64_t) override {}
  /// Bytes of device memory.
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  DeviceMemory memory_;
  std::int64_t stride_;  ///< floats between mini-batches
  std::int64_t targets_at_;
};

}  // namespace paceline::cuda
