// SPDX-License-Identifier: MIT
/// \file
/// Selects the execution layer that measures a point, and checks whether this computer can execute
/// it. The CUDA layer is opened only for points that would run on it.
#pragma once
#include <string>

#include "cli/options.hpp"
#include "exec/plugin/plugin.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

class Group;
class Leader;

/// True if the CUDA layer measures the point, on any computer; otherwise the host layer does.
/// With `auto`, CUDA measures points of a described machine, points with `devices`, with a
/// precision other than fp32 or with NCCL's all-reduce. A point of a GPU machine never falls back
/// to the host.
bool runs_on_cuda(const ExperimentPoint& point, Device device);

/// The reason why a point has no prediction; "" if it can have one. `profile` may be null.
std::string not_predictable(const ExperimentPoint& point, Device device, const Profile* profile);

/// The reason why this computer can never run the point (it cannot time the layers, or lacks the
/// memory to train) and the position of the cause in the file; "" if it can. Applies only to points
/// that run on this computer's CPU.
struct TooLarge {
  std::string why;
  Location at;
};
TooLarge too_large_here(const ExperimentPoint& point, Device device);

/// `profile` if it describes the point's machine; otherwise null.
const Profile* profile_of(const ExperimentPoint& point, const Profile* profile);

/// The point prepared for simulation, with the profile's measurements if the point's machine is
/// this computer. Throws as make_setting.
Prediction prediction_of(const ExperimentPoint& point, Device device, const Profile* profile);

/// The execution layers of one run of the program.
class ExecutionDevices {
 public:
  /// `leader` leads the processes that execute together and must outlive this object; null if there
  /// is only one process.
  explicit ExecutionDevices(Device device, Leader* leader = nullptr)
      : device_(device), leader_(leader) {}

  Device device() const { return device_; }
  /// The reason why the point cannot be executed here; "" if it can.
  std::string not_executable(const ExperimentPoint& point);
  /// The reason why the profile's layer times do not suffice to execute the point; "" if they do. A
  /// straggler that applies to the total time draws its delay relative to the arithmetic, so the
  /// time of the arithmetic must be known.
  std::string lacks_times(const ExperimentPoint& point, const Profile* profile) const;
  /// This computer's GPUs; null if they are not available. Opens the plug-in.
  Accelerator* accelerator() { return plugin_.accelerator(); }
  /// The reason why accelerator() is null; otherwise "".
  const std::string& problem() { return plugin_.problem(); }
  /// The setting for measuring a point. `profile` may be null if CUDA measures.
  Setting setting_of(const ExperimentPoint& point, const Profile* profile);
  /// Executes the part of this process in a point that process 0 of `group` measures. `profile`:
  /// that of process 0, which may be null. Throws ProtocolError.
  void take_part_in(const ExperimentPoint& point, const Profile* profile, Group& group,
                    bool traced);
  /// Measures an executable point. A run in one process also measures the cores that other programs
  /// use meanwhile.
  Measurement execute(const Setting& setting, bool keep_steps);

 private:
  Measurement on_its_layer(const Setting& setting, bool keep_steps);
  std::string not_on_cuda(const ExperimentPoint& point, const Group* group);

  Device device_;
  Leader* leader_;
  const Profile* profile_ = nullptr;  ///< profile of the last setting
  CudaPlugin plugin_;
};

}  // namespace paceline
