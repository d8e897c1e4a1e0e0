// SPDX-License-Identifier: MIT
/// \file
/// Executes one point by the processes of a group, each its own roles. All processes call the same
/// functions in the same order; process 0 collects the events of all.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "exec/machine/executed_repeat.hpp"
#include "exec/processes/event_log.hpp"
#include "exec/processes/own_roles.hpp"

namespace paceline {

class RemoteRoles;

class JointExecution {
 public:
  /// \param traced whether process 0 records spans; the same on all processes
  /// \param make   on what this process runs its roles; all processes must give the same
  /// `group` must outlive this. Throws ProcessLost, and the error of another process that fails.
  JointExecution(const Setting& setting, Group& group, bool traced,
                 const MakeOwnRoles& make = own_roles_on_host);
  /// If repeats are left, ends the point on the other processes.
  ~JointExecution();

  /// One repeat, on process 0. Throws an error of a role or thread of any process; divergence is no
  /// error.
  Executed run(std::uint32_t repeat, Recorder& recorder);
  /// The same on the other processes.
  void take_part(std::uint32_t repeat);

  /// The first process that was lost before the end of the last repeat that ran, on process 0; ""
  /// if there was none. One that is lost later has done its part.
  const std::string& loss() const { return loss_; }

  /// A mini-batch's loss above it ends the run as diverged.
  std::optional<double> loss_bound() const { return own_->trainer().loss_bound(); }

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
  std::unique_ptr<OwnRoles> own_;
  std::unique_ptr<RemoteRoles> others_;
  int repeats_left_;  ///< 0 after a failure
  std::string loss_;
};

/// Measures a point on process 0, once for every repeat.
Measurement execute_jointly(const Setting& setting, Group& group, bool keep_steps = false,
                            const MakeOwnRoles& make = own_roles_on_host);
/// The same on the other processes. Process 0 reports errors.
void take_part_in(const Setting& setting, Group& group, bool traced,
                  const MakeOwnRoles& make = own_roles_on_host);
/// In place of take_part_in(): this process cannot, for the reason `why`.
void decline(Group& group, const std::string& why);

}  // namespace paceline
