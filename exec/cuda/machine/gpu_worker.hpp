// SPDX-License-Identifier: MIT
/// \file
/// A worker's arithmetic on its GPU: its network and the source of its mini-batches, and the same
/// for its validation.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "exec/cuda/machine/passes.hpp"
#include "exec/cuda/network/batch_source.hpp"
#include "exec/cuda/network/pieces.hpp"

namespace paceline::cuda {

class GpuWorker final : public Passes {
 public:
  /// A network and its items.
  struct Part {
    std::unique_ptr<CudaNetwork> network;
    std::unique_ptr<BatchSource> batches;
    Pieces pieces;
  };

  /// `key` seeds the draws of the repeat.
  GpuWorker(Part training, std::array<std::uint32_t, 2> key)
      : training_(std::move(training)), key_(key), current_(training_.network.get()) {}

  /// Ends the sources first: until then a stream may wait for items, and read networks.
  ~GpuWorker() override {
    training_.batches.reset();
    if (validation_) validation_->batches.reset();
  }

  const CudaNetwork& network() const { return *training_.network; }
  /// Of sequences of unequal length: a network for each shape of a mini-batch that can be, null for
  /// others, which share the memory of network().
  void train_with(std::vector<std::unique_ptr<CudaNetwork>> by_shape, const BatchSetting& drawn) {
    by_shape_ = std::move(by_shape);
    drawn_ = drawn;
  }
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
      if (layers.pass == Pass::forward && layers.first == 0) begin(work);
      current_->run(layers);
    }
  }
  void queue_both(const LayerRange& layers, WorkId work, const DeviceEvent& border) override {
    if (layers.first == 0) begin(work);
    current_->run_both(layers, border);
  }
  double loss(std::int64_t step) const override {
    return static_cast<double>(training_.network->loss(step));
  }

 private:
  void feed(Part& part, WorkId work) const { part.batches->feed(*part.network, key_, work); }
  /// Chooses the network of the mini-batch's shape.
  void begin(WorkId work) {
    if (!by_shape_.empty()) {
      const DrawnBatch batch = drawn_.lengths->draw(drawn_.seed, work.worker, work.step, own_);
      current_ = by_shape_.at(batch.shape).get();
    }
    training_.batches->feed(*current_, key_, work);
  }

  Part training_;
  std::optional<Part> validation_;  ///< after training: it uses its memory
  std::array<std::uint32_t, 2> key_;
  std::vector<std::unique_ptr<CudaNetwork>> by_shape_;  ///< empty: all mini-batches are of one
  BatchSetting drawn_;
  std::vector<int> own_;  ///< lengths by item
  CudaNetwork* current_;  ///< of the mini-batch under way
};

}  // namespace paceline::cuda
