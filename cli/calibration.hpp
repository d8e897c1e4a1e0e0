// SPDX-License-Identifier: MIT
/// \file
/// Completes a profile of this computer: finds the measurements that experiments need and the
/// profile lacks, takes them, and shows the progress.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "exec/calibrate/step.hpp"
#include "exec/plugin/accelerator.hpp"
#include "exec/processes/group.hpp"
#include "training/experiment/experiment_file.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

/// The measurements that a profile must have.
struct CalibrationOrder {
  std::vector<const ExperimentPoint*> on_host;  ///< points with networks that the host trains
  std::vector<const ExperimentPoint*> on_gpus;
  Accelerator* gpus = nullptr;  ///< null: no GPU is measured
  Group* group = nullptr;       ///< processes, to measure their link; null: no link is measured
  bool all_figures = false;     ///< also links, and GPUs that no point uses
  Effort effort = Effort::quick;
  bool quiet = false;
};

/// Measures the figures that `profile` lacks. A missing profile lacks all of them. Figures from
/// other GPUs, drivers or libraries than the present ones are measured again.
class Calibration {
 public:
  /// Both arguments must outlive this.
  Calibration(const CalibrationOrder& order, std::optional<Profile>& profile);
  /// True if nothing must be measured.
  bool complete() const { return steps_.empty(); }
  /// The parts of the order that this computer cannot measure, one line each: "resnet50 at batch
  /// 32: ...".
  const std::vector<std::string>& problems() const { return problems_; }
  /// Takes the measurements. Returns the failed ones, including problems().
  std::vector<std::string> run(const Terminal& terminal);

 private:
  void add_exchange();
  void add_host();
  void add_gpus();
  void add_tcp();
  void add_problem(const Workload& workload, const std::string& why);

  const CalibrationOrder& order_;
  std::optional<Profile>& profile_;
  std::vector<CalibrationStep> steps_;
  std::vector<std::string> problems_;  ///< networks that cannot be measured here
};

/// Versions of the software that measures on the host.
std::map<std::string, std::string> host_software();

}  // namespace paceline
