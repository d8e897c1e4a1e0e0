// SPDX-License-Identifier: MIT
/// \file
/// A worker's arithmetic on its GPU: its network and the source of its mini-batches, and the same
/// for its validation.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "exec/cuda/machine/passes.hpp"
#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/network/pieces.hpp"

namespace paceline::cuda {

class GpuWorker final : public Passes {
 public:
  /// A network and its items.
  struct Part {
    std::unique_ptr<CudaNetwork> network;
    // after the network: its destructor may still use memory that the network reads
    std::unique_ptr<BatchSource> batches;
    Pieces pieces;
  };

  /// `key` seeds the draws of the repeat.
  GpuWorker(Part training, std::array<std::uint32_t, 2> key)
      : training_(std::move(training)), key_(key) {}

  const CudaNetwork& network() const { return *training_.network; }
  /// Makes validation passes possible; their network shares the memory of network().
  void validate_with(Part validation) { validation_.emplace(std::move(validation)); }

  LayerRange piece(const LayerRange& rest) const override {
    if (rest.pass != Pass::validation) return training_.pieces.first_of(rest);
    const LayerRange first = validation_->pieces.first_of({Pass::forward, rest.first, rest.last});
    return {Pass::validation, first.first, first.last};
  }
  void queue(const LayerWork& part, WorkId work) override {
    const LayerRange& layers = part.layers;
    if (layers.pass == Pass::validation) {
      if (layers.first == 0) feed(*validation_, {work.worker, part.number});
      validation_->network->run({Pass::forward, layers.first, layers.last});
    } else {
      if (layers.pass == Pass::forward && layers.first == 0) feed(training_, work);
      training_.network->run(layers);
    }
  }
  double loss(std::int64_t step) const override {
    return static_cast<double>(training_.network->loss(step));
  }

 private:
  void feed(Part& part, WorkId work) const { part.batches->feed(*part.network, key_, work); }

  Part training_;
  std::optional<Part> validation_;  ///< after training: it uses its memory
  std::array<std::uint32_t, 2> key_;
};

}  // namespace paceline::cuda
