// SPDX-License-Identifier: MIT
/// \file
/// A worker's arithmetic on its GPU: its network and the source of its mini-batches.
#pragma once
#include <array>
#include <memory>

#include "exec/cuda/machine/passes.hpp"
#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/network/pieces.hpp"

namespace paceline::cuda {

class GpuWorker final : public Passes {
 public:
  /// `key` seeds the draws of the repeat.
  GpuWorker(std::unique_ptr<CudaNetwork> network, std::unique_ptr<BatchSource> batches,
            Pieces pieces, std::array<std::uint32_t, 2> key)
      : network_(std::move(network)),
        batches_(std::move(batches)),
        pieces_(std::move(pieces)),
        key_(key) {}

  LayerRange piece(const LayerRange& rest) const override { return pieces_.first_of(rest); }
  void queue(const LayerRange& layers, WorkId work) override {
    if (layers.pass == Pass::forward && layers.first == 0) batches_->feed(*network_, key_, work);
    network_->run(layers);
  }
  double loss(std::int64_t step) const override {
    return static_cast<double>(network_->loss(step));
  }
  const CudaNetwork& network() const { return *network_; }

 private:
  std::unique_ptr<CudaNetwork> network_;
  std::unique_ptr<BatchSource>
      batches_;  // last: its destructor may still use memory that the network reads
  Pieces pieces_;
  std::array<std::uint32_t, 2> key_;
};

}  // namespace paceline::cuda
