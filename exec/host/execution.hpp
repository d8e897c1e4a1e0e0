// SPDX-License-Identifier: MIT
/// \file
/// One point being executed on this computer's threads: its arithmetic, kept from repeat to repeat,
/// and a machine anew for each.
#pragma once
#include <memory>
#include <vector>

#include "exec/host/host_machine.hpp"
#include "training/setting.hpp"

namespace paceline {

class Execution {
 public:
  /// `setting` must outlive this.
  explicit Execution(const Setting& setting);

  /// One repeat on a clock; returns the weights it ends with.
  std::vector<float> run(std::uint32_t repeat, Recorder& recorder, TimeSource& time);

  /// Mean over the workers of the last mini-batch's loss.
  double last_loss() const;

 private:
  const Setting& setting_;
  Choice<Dataset> dataset_{"gaussian-mixture"};
  std::vector<std::unique_ptr<WorkerArithmetic>> arithmetic_;
};

}  // namespace paceline
