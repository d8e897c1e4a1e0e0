// SPDX-License-Identifier: MIT
/// \file
/// Which execution layer measures a point, and whether it can here. The CUDA layer is opened only
/// where a point that would run on it is asked for.
#pragma once
#include <string>

#include "cli/options.hpp"
#include "exec/plugin/plugin.hpp"

namespace paceline {

class Leader;

/// Whether the CUDA layer would measure the point, wherever that is; else the host's would. `auto`
/// has CUDA measure points of a described machine, with `devices`, in another precision than fp32
/// or with an all-reduce of NCCL's: it never falls back to the host for a GPU machine.
bool runs_on_cuda(const ExperimentPoint& point, Device asked);

/// Why a point that CUDA would measure has no prediction; "" where it can have one. `profile` may
/// be null.
std::string not_predictable(const ExperimentPoint& point, Device asked, const Profile* profile);

/// Why this computer can never have the times of the point's layers or room for its training, and
/// where that stands in the file; "" where it may. Only for points that run on its CPU.
struct TooLarge {
  std::string why;
  Location at;
};
TooLarge too_large_here(const ExperimentPoint& point, Device asked);

/// The profile of this computer where it is the point's machine; else null.
const Profile* profile_of(const ExperimentPoint& point, const Profile* profile);

/// The point ready for a clock, with what was measured of this computer where its machine is that.
/// Throws as make_setting.
Setting setting_of(const ExperimentPoint& point, Device asked, const Profile* profile);

/// The layers of one run of the program.
class ExecutionDevices {
 public:
  /// `leader`: of the processes that execute together, which must outlive this; null: there is one.
  explicit ExecutionDevices(Device asked, Leader* leader = nullptr)
      : asked_(asked), leader_(leader) {}

  Device asked() const { return asked_; }
  /// "" or why the point cannot be executed here.
  std::string not_executable(const ExperimentPoint& point);
  /// "" or why it cannot with what is known of this computer: a straggler that applies to the total
  /// is as late as the arithmetic leaves room for.
  std::string lacks_times(const ExperimentPoint& point, const Profile* profile) const;
  /// This computer's GPUs, null where they cannot be had. Opens the plug-in.
  Accelerator* accelerator() { return plugin_.accelerator(); }
  /// "", or why accelerator() is null.
  const std::string& problem() { return plugin_.problem(); }
  /// The setting in which a point is measured. `profile` may be null where CUDA measures.
  Setting setting_of(const ExperimentPoint& point, const Profile* profile);
  /// Measures a point that can be executed.
  Measurement execute(const Setting& setting, bool keep_steps);

 private:
  std::string not_on_cuda(const ExperimentPoint& point);

  Device asked_;
  Leader* leader_;
  const Profile* profile_ = nullptr;  ///< of the last setting
  CudaPlugin plugin_;
};

}  // namespace paceline
