// SPDX-License-Identifier: MIT
/// \file
/// Points that several processes execute together: joins the processes and lets process 0 lead
/// them. Only process 0 reads and writes results; the others execute the points that it announces.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "exec/processes/group.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/experiment/setting.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// Connects to the other processes as given by mpirun or the options; null if there are none. All
/// processes must have the same program, options and `identity`. Throws SpecError if the options or
/// the processes do not agree.
std::unique_ptr<Group> join_group(const Options& options, const std::string& identity);

/// The hash of everything that all processes of a run of these files must have in common.
std::string identity_of(const std::vector<ExperimentFile>& files, const Options& options);

/// Sets the number of processes of points on this computer that do not specify it to the size of
/// the group.
void settle_processes(std::vector<ExperimentFile>& files, const Group* group);

/// The reason why the group cannot execute a point; "" if it can. `group` may be null.
std::string unfit_for_group(const ExperimentPoint& point, const Group* group);

class ExecutionDevices;

/// Announces the work of process 0 to the other processes.
class Leader {
 public:
  /// Both must outlive this object.
  Leader(Group& group, const std::vector<ExperimentFile>& files) : group_(group), files_(files) {}
  /// Makes the others execute this point, too.
  void announce(const Setting& setting, const Profile* profile);
  /// Ends the others with this exit code.
  void end(int code);
  Group& group() { return group_; }

 private:
  Group& group_;
  const std::vector<ExperimentFile>& files_;
};

/// Executes the announced points until process 0 ends the run. Returns the exit code.
int follow(Group& group, const std::vector<ExperimentFile>& files, ExecutionDevices& devices);

}  // namespace paceline
