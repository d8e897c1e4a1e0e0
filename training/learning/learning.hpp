// SPDX-License-Identifier: MIT
/// \file
/// Real training of one repeat of a point on the CPU: what its commands do to weights and
/// gradients. Both clocks that train on the CPU carry out their commands here, so that the same
/// order of events gives the same losses.
#pragma once
#include <memory>
#include <vector>

#include "training/learning/buffers.hpp"
#include "training/learning/host_arrays.hpp"
#include "training/learning/worker_arithmetic.hpp"

namespace paceline {

class Learning {
 public:
  /// `arithmetic` has one object a worker, or a single one that all use in turn, and must outlive
  /// this. The others as of Buffers.
  Learning(int workers, BufferPlan buffers, UpdateRule rule, const std::vector<float>& initial,
           std::int64_t keep_every, std::vector<std::unique_ptr<WorkerArithmetic>>& arithmetic);

  /// Carries out layers of a mini-batch, until `stop`.
  void compute(WorkId work, const LayerRange& layers, const std::function<bool()>& stop);
  /// Carries out layers of a validation pass, until `stop`.
  void validate(RoleId worker, const Command::Compute& pass, const std::function<bool()>& stop) {
    of(worker).validate(pass.layers, worker, pass.number, buffers_.weights(worker), stop);
  }
  /// Carries out all layers of a mini-batch at once: when only the gradient matters, not its time.
  void compute_whole(WorkId work);
  /// Carries out any other command.
  void perform(const Command& command) { buffers_.perform(command, work_); }

  /// Mean loss of the mini-batch that a worker last took forward to its end; NaN before.
  double last_loss(RoleId worker) const { return losses_[static_cast<std::size_t>(worker)]; }
  const Buffers& buffers() const { return buffers_; }
  Buffers& buffers() { return buffers_; }

 private:
  WorkerArithmetic& of(RoleId worker) {
    return arithmetic_.size() == 1 ? *arithmetic_.front()
                                   : *arithmetic_[static_cast<std::size_t>(worker)];
  }

  HostArrays store_;
  HostArrayWork work_;
  Buffers buffers_;
  std::vector<std::unique_ptr<WorkerArithmetic>>& arithmetic_;
  std::vector<double> losses_;  ///< by worker, written by its own thread
};

}  // namespace paceline
