// SPDX-License-Identifier: MIT
/// \file
/// The arithmetic of one worker as its machine sees it: layers of a mini-batch, queued on the
/// worker's compute stream.
#pragma once
#include "training/roles/command.hpp"

namespace paceline::cuda {

class Passes {
 public:
  virtual ~Passes() = default;
  /// Queues layers of a mini-batch; the first one forward fetches it. Called with the worker's
  /// device current.
  virtual void queue(const LayerRange& layers, WorkId work) = 0;
  /// Mean loss of the mini-batch of a step, once its last layer forward has run.
  virtual double loss(std::int64_t step) const = 0;
};

}  // namespace paceline::cuda
