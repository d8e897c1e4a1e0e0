// SPDX-License-Identifier: MIT
/// \file
/// Points that several processes execute together: how the command finds the others, and how
/// process 0 leads them. It alone reads and writes results; the others run what it announces.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "exec/processes/group.hpp"
#include "training/experiment_file.hpp"
#include "training/profile/profile.hpp"
#include "training/setting.hpp"

namespace paceline {

/// Meets the other processes, as mpirun or the options say; null where there are none. `identity`
/// adds to what all must have in common: program and options. Throws SpecError where the options or
/// the processes do not fit together.
std::unique_ptr<Group> join_group(const Options& options, const std::string& identity);

/// What all processes of a run of these files must have in common.
std::string identity_of(const std::vector<ExperimentFile>& files, const Options& options);

/// Points of this computer that say nothing of processes run in as many as there are.
void settle_processes(std::vector<ExperimentFile>& files, const Group* group);

/// Why a point is not for these processes; "" if it is. `group` may be null.
std::string unfit_for_group(const ExperimentPoint& point, const Group* group);

/// Process 0's word to the others.
class Leader {
 public:
  /// Both must outlive this.
  Leader(Group& group, const std::vector<ExperimentFile>& files) : group_(group), files_(files) {}
  /// The others execute this point now, too.
  void announce(const Setting& setting, const Profile* profile);
  /// They end, with this exit code.
  void end(int code);
  Group& group() { return group_; }

 private:
  Group& group_;
  const std::vector<ExperimentFile>& files_;
};

/// Executes what process 0 announces, to the end. Its exit code.
int follow(Group& group, const std::vector<ExperimentFile>& files);

}  // namespace paceline
