// SPDX-License-Identifier: MIT
/// \file
/// The time of each layer of a network on a GPU, forward and backward: the simulator's cost of a
/// mini-batch's arithmetic.
///
/// The source of a layer's time is, in order of precedence,
///   1. a synthetic layer's own figures, or a profile measured of exactly this network, batch,
///      precision and GPU;
///   2. the sum of its kernels' times, with the shares of the GPU's peaks that its efficiency table
///      gives (layer_kernels.hpp, kernel_time.hpp); in tf32 of those for fp32, if they are faster;
///   3. the same at the peaks, where the table has no row: a bound, not an estimate.
///
/// Products use the peak of the precision, or that of fp32 where the GPU lacks the precision; all
/// other kernels move data, in the precision's element size.
#pragma once
#include <span>
#include <vector>

#include "models/network.hpp"
#include "sim/costs/layer_kernels.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// The source of a time.
enum class CostSource {
  given,       ///< by a synthetic layer
  profile,     ///< measured for this layer
  efficiency,  ///< kernels with the GPU's efficiency table
  roofline,    ///< kernels at the GPU's peaks: a lower bound
};
std::span<const EnumName<CostSource>> enum_names(const CostSource*);

/// One layer's times for a whole mini-batch.
struct LayerTime {
  Seconds forward, backward;
  CostSource source = CostSource::roofline;
  bool scaled = false;  ///< by scale_to, to match a measured step
};

/// The times of every layer, in the network's order. `profile` may be null; it is ignored if it was
/// measured of another workload. Requires step.batch > 0.
std::vector<LayerTime> layer_times(const Network& network, const StepOnGpu& step,
                                   const GpuSpec& gpu, const NetworkProfile* profile);

/// Forward and backward of all layers: the arithmetic of one worker's step.
Seconds step_time(const std::vector<LayerTime>& times);

/// Scales all times by one factor so that they sum to the measured step of one worker. Throws
/// std::invalid_argument if they sum to 0.
void scale_to(std::vector<LayerTime>& times, Seconds one_worker_step);

}  // namespace paceline
