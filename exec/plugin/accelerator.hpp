// SPDX-License-Identifier: MIT
/// \file
/// What the CUDA plug-in offers to who has opened it: it knows this computer's GPUs and executes
/// points on them. Nothing here needs CUDA.
#pragma once
#include <string>
#include <vector>

#include "exec/calibrate/step.hpp"
#include "training/setting.hpp"

namespace paceline {

/// One GPU of this computer.
struct GpuFacts {
  std::string name;  ///< "NVIDIA H200"
  Bytes memory;
  int sms = 0;
  std::string bus;  ///< PCI address, "0000:0f:00.0"
};

/// What a manifest says of the GPUs and of what drives them.
struct AcceleratorFacts {
  std::string driver, runtime, cudnn, cublas, nccl;  ///< versions
  std::vector<GpuFacts> gpus;                        ///< empty: there is no device
  std::string problem;  ///< why there is none ("no NVIDIA driver on this computer"), or ""
};

/// A network to be timed: as the point trains it.
struct TimedWorkload {
  const ExperimentPoint* point = nullptr;
  Workload workload;
};

/// What to measure of this computer's GPUs.
struct GpuCalibration {
  bool figures = true;  ///< GPUs, their links, NCCL
  std::vector<TimedWorkload> networks;
  Effort effort = Effort::quick;
};

/// No method throws: exceptions do not cross the border of the plug-in.
class Accelerator {
 public:
  virtual ~Accelerator() = default;
  virtual const AcceleratorFacts& facts() const = 0;
  /// "" or why the point cannot run on this computer's GPUs ("4 workers and 1 GPU (give 'devices:
  /// {virtual: 4}')").
  virtual std::string not_executable(const ExperimentPoint& point) const = 0;
  /// The measurement; where it failed, its status says why, everything is released and the next
  /// point may run.
  virtual Measurement execute(const Setting& setting, bool keep_steps) = 0;
  /// What is to be done for that, in order. Each step adds what it measured to `into`, leaves the
  /// devices as it found them, and throws nothing. `into`, the points and this must outlive them.
  virtual std::vector<CalibrationStep> calibration(const GpuCalibration& what, Profile& into) = 0;
};

/// What the plug-in exports under the name `paceline_accelerator`. `abi` is accelerator_abi() of
/// who asks: null where the plug-in is of another build. On a computer without a GPU, an
/// accelerator without GPUs.
using MakeAccelerator = Accelerator* (*)(const char* abi);

/// Names the build (version, compiler, flags, a hash of the sources they share): plug-in and
/// program exchange C++ objects, so they must be of one.
const char* accelerator_abi();

}  // namespace paceline
