// SPDX-License-Identifier: MIT
/// \file
/// Completes a profile of this computer: works out what experiments need and it lacks, measures
/// that, and shows how far it is.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "exec/processes/group.hpp"
#include "training/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// What shall be in a profile.
struct CalibrationOrder {
  std::vector<const ExperimentPoint*> on_host;  ///< points whose networks the host trains
  std::vector<const ExperimentPoint*> on_gpus;
  Accelerator* gpus = nullptr;  ///< null: none are measured
  Group* group = nullptr;       ///< of processes, whose link is measured; null: none
  bool all_figures = false;     ///< links too, and GPUs though no point is on one
  Effort effort = Effort::quick;
  bool quiet = false;
};

/// Measures what `profile` lacks of it; nothing where there is none yet. What was measured with
/// other GPUs, drivers or libraries than there are now is measured anew.
class Calibration {
 public:
  /// Both must outlive this.
  Calibration(const CalibrationOrder& order, std::optional<Profile>& profile);
  /// Whether there is nothing to measure.
  bool complete() const { return steps_.empty(); }
  /// What of the order this computer cannot measure, a line each: "resnet50 at batch 32: ...".
  const std::vector<std::string>& problems() const { return problems_; }
  /// Measures. Returns what could not be measured, those problems included.
  std::vector<std::string> run(const Terminal& terminal);

 private:
  void add_host();
  void add_gpus();
  void add_tcp();
  void add_problem(const Workload& workload, const std::string& why);

  const CalibrationOrder& order_;
  std::optional<Profile>& profile_;
  std::vector<CalibrationStep> steps_;
  std::vector<std::string> problems_;  ///< networks that cannot be measured here
};

/// Versions of what measures on the host.
std::map<std::string, std::string> host_software();

}  // namespace paceline
