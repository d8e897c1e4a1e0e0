// SPDX-License-Identifier: MIT
/// \file
/// The time of each layer of a network on a GPU, forward and backward: the simulator's cost of a
/// mini-batch's arithmetic.
///
/// The source of a layer's time is, in order of precedence,
///   1. a synthetic layer's own figures, or a profile measured of exactly this network, batch,
///      precision and GPU;
///   2. the roofline  max(FLOPs / (peak x share), bytes / (bandwidth x share)),
///      with the shares in the GPU's efficiency table for this kind of layer;
///   3. the roofline with shares of 100 %, where the table has none: a bound, not an estimate.
///
/// For layers that multiply (convolution, fully connected, LSTM) the table's row is a share of the
/// peak; for all others it is a share of the memory's bandwidth. For a kind without a row, the row
/// `memory` gives its share of the bandwidth. Layers that multiply use the peak of the precision,
/// or that of fp32 where the GPU lacks the precision; all others compute in fp32.
///
/// An LSTM has two parts, one after the other: its products over all steps, and the chain of its
/// steps, each of which reads the recurrent weights again (lstm_work.hpp).
///
/// Bytes are the tensors that a layer must read and write when its caches are too small to help:
/// layer_traffic.hpp.
#pragma once
#include <span>
#include <vector>

#include "models/network.hpp"
#include "training/profile/network_profile.hpp"
#include "training/workload/precision.hpp"

namespace paceline {

/// The source of a time.
enum class CostSource {
  given,       ///< by a synthetic layer
  profile,     ///< measured for this layer
  efficiency,  ///< roofline with the GPU's share for this kind of layer
  roofline,    ///< the bare roofline: a lower bound
};
std::span<const EnumName<CostSource>> enum_names(const CostSource*);

/// One layer's times for a whole mini-batch.
struct LayerTime {
  Seconds forward, backward;
  CostSource source = CostSource::roofline;
  bool scaled = false;  ///< by scale_to, to match a measured step
};

/// The times of every layer, in the network's order. `profile` may be null; it is ignored if it was
/// measured of another workload. Requires batch > 0.
std::vector<LayerTime> layer_times(const Network& network, int batch, Precision precision,
                                   const GpuSpec& gpu, const NetworkProfile* profile);

/// Forward and backward of all layers: the arithmetic of one worker's step.
Seconds step_time(const std::vector<LayerTime>& times);

/// Scales all times by one factor so that they sum to the measured step of one worker. Throws
/// std::invalid_argument if they sum to 0.
void scale_to(std::vector<LayerTime>& times, Seconds one_worker_step);

}  // namespace paceline
