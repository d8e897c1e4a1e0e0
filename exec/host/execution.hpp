// SPDX-License-Identifier: MIT
/// \file
/// One point being executed on this computer's threads: its training, kept from repeat to repeat,
/// and a machine anew for each.
#pragma once
#include <string>
#include <vector>

#include "exec/host/host_machine.hpp"
#include "exec/machine/executed_repeat.hpp"
#include "training/experiment/trainer.hpp"

namespace paceline {

class Execution {
 public:
  /// `setting` must outlive this.
  explicit Execution(const Setting& setting);

  /// One repeat on a clock. Throws what a role or a thread throws, divergence aside.
  Executed run(std::uint32_t repeat, Recorder& recorder, TimeSource& time);

  /// A mini-batch's loss above this is the end.
  std::optional<double> loss_bound() const { return trainer_.loss_bound(); }

 private:
  const Setting& setting_;
  Trainer trainer_;
};

}  // namespace paceline
