// SPDX-License-Identifier: MIT
/// \file
/// The interface of the CUDA plug-in: facts about this computer's GPUs, and the execution of points
/// on them. Nothing here needs CUDA.
#pragma once
#include <string>
#include <vector>

#include "exec/calibrate/step.hpp"
#include "training/experiment/setting.hpp"
#include "training/profile/profile.hpp"

namespace paceline {

class Group;

/// One GPU of this computer.
struct GpuFacts {
  std::string name;  ///< "NVIDIA H200"
  Bytes memory;
  int sms = 0;
  std::string bus;         ///< PCI address, "0000:0f:00.0"
  std::string unusable{};  ///< why the plug-in cannot run on it, or ""
};

/// The GPUs and the versions of their software, for the manifest.
struct AcceleratorFacts {
  std::string driver, runtime, cudnn, cublas, nccl;  ///< versions
  std::vector<GpuFacts> gpus;                        ///< empty without a device
  std::string problem;  ///< why there is no GPU ("no NVIDIA driver on this computer"), or ""
};

/// A network to be timed as the point trains it.
struct TimedWorkload {
  const ExperimentPoint* point = nullptr;
  Workload workload;
};

/// The measurements to take on this computer's GPUs.
struct GpuCalibration {
  bool figures = true;  ///< GPUs, their links, NCCL
  std::vector<TimedWorkload> networks;
  Effort effort = Effort::quick;
};

/// No method throws: exceptions do not leave the plug-in.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual const AcceleratorFacts& facts() const = 0;
  /// "", or the reason why the point cannot run on this computer's GPUs ("4 workers and 1 GPU (give
  /// 'devices: {virtual: 4}')"). `group`: only the roles of this process run here; null: all.
  virtual std::string not_executable(const ExperimentPoint& point,
                                     const Group* group = nullptr) const = 0;
  /// The measurement. After a failure its status gives the reason, all resources are released, and
  /// the next point may run.
  virtual Measurement execute(const Setting& setting, bool keep_steps) = 0;
  /// The same with the other processes of a group, on process 0.
  virtual Measurement execute_jointly(const Setting& setting, Group& group, bool keep_steps) = 0;
  /// The same on the other processes. Process 0 reports errors, except one that ends the group,
  /// which is returned; "" if there is none.
  virtual std::string take_part_in(const Setting& setting, Group& group, bool traced) = 0;
  /// The steps of a calibration, in order. Each adds its measurements to `into`, restores the state
  /// of the devices, and throws nothing. `into`, the points and this must outlive the steps.
  virtual std::vector<CalibrationStep> calibration(const GpuCalibration& what, Profile& into) = 0;
};

/// The function that the plug-in exports as `paceline_accelerator`. `abi` is the caller's
/// accelerator_abi(); returns null if the plug-in was built from other sources. On a computer
/// without a GPU, returns an accelerator without GPUs.
using MakeAccelerator = Accelerator* (*)(const char* abi);

/// Identifies the build (version, compiler, flags, a hash of the shared sources). It must equal
/// that of the plug-in because both exchange C++ objects.
const char* accelerator_abi();

}  // namespace paceline
