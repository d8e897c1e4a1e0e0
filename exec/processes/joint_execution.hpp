// SPDX-License-Identifier: MIT
/// \file
/// One point being executed by the processes of a group, each its own roles. All of them call the
/// same functions in the same order; process 0 gets what all have observed.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "exec/machine/executed.hpp"
#include "exec/processes/event_log.hpp"
#include "exec/processes/group.hpp"
#include "training/learning/trainer.hpp"

namespace paceline {

class RemoteRoles;

class JointExecution {
 public:
  /// \param traced whether process 0 wants to know of everything: on all processes the same
  /// `group` must outlive this. Throws ProcessLost, and the reason when another process fails.
  JointExecution(const Setting& setting, Group& group, bool traced);
  /// Between two repeats: ends the point on the others, too.
  ~JointExecution();

  /// One repeat, on process 0. Throws what a role or a thread throws on any of them, divergence
  /// aside.
  Executed run(std::uint32_t repeat, Recorder& recorder);
  /// The same, on the others: their part of it.
  void take_part(std::uint32_t repeat);

  /// A mini-batch's loss above this is the end.
  std::optional<double> loss_bound() const { return trainer_->loss_bound(); }

 private:
  struct Repeat;

  void agree_with_all(const Verdict& mine);
  void check(const Verdict& verdict);
  void begin(std::optional<Repeat>& repeat, std::uint32_t number);
  void end(const Verdict& mine);
  Verdict run_roles(Repeat& repeat);
  Verdict run_machine(Repeat& repeat);
  void send_to_leader(Repeat& repeat);
  void gather(Repeat& repeat);

  Setting setting_;
  SpanRecorder* spans_;  ///< process 0's
  Group& group_;
  bool traced_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<RemoteRoles> others_;
  int repeats_left_;  ///< 0 as soon as one has failed
};

/// Measures a point on process 0, once for every repeat.
Measurement execute_jointly(const Setting& setting, Group& group, bool keep_steps = false);
/// Takes part in that on the others. What goes wrong, process 0 reports.
void take_part_in(const Setting& setting, Group& group, bool traced);

}  // namespace paceline
