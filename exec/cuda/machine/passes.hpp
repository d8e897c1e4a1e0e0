// SPDX-License-Identifier: MIT
/// \file
/// A worker's arithmetic as the machine uses it: layers of a mini-batch, queued on the worker's
/// compute stream.
#pragma once
#include "exec/cuda/runtime/stream.hpp"
#include "training/runtime/command.hpp"

namespace paceline::cuda {

class Passes {
 public:
  virtual ~Passes() = default;
  /// The layers of `rest` that come first, as many as are handed over together where they may be
  /// given up.
  virtual LayerRange piece(const LayerRange& rest) const = 0;
  /// Queues layers of a mini-batch or of a validation before it; the first layer forward also
  /// fetches its items. Requires that the worker's device is current.
  virtual void queue(const LayerWork& part, WorkId work) = 0;
  /// The same of a mini-batch's pass forward and then backward through `layers`, with `border`
  /// recorded between the two. It must not be queried until both have run: in a graph it may not
  /// have been recorded when what follows the graph's launch is queued.
  virtual void queue_both(const LayerRange& layers, WorkId work, const DeviceEvent& border) = 0;
  /// Mean loss of a step's mini-batch. Requires that its last forward layer has run.
  virtual double loss(std::int64_t step) const = 0;
};

}  // namespace paceline::cuda
