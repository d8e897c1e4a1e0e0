// SPDX-License-Identifier: MIT
/// \file
/// How long each layer of a network takes on a GPU, forward and backward: what the simulator
/// charges for a mini-batch's arithmetic.
///
/// A layer's time comes from, in order,
///   1. a synthetic layer's own figures, or a profile measured of just this network, batch,
///      precision and GPU;
///   2. the roofline  max(FLOPs / (peak x share), bytes / (bandwidth x share)),
///      with the shares that the GPU's efficiency table gives for that kind of layer;
///   3. the same with shares of 100 %, where the table is silent: a bound, not an estimate.
///
/// For layers that multiply (convolution, fully connected, LSTM) the table's row is a share of the
/// peak; for all others it is a share of the memory's bandwidth. Where a kind has no row of its
/// own, the row `memory` says what share of the bandwidth it reaches. Layers that multiply take the
/// peak of the precision, or of fp32 where the GPU has none; the others compute in fp32.
///
/// An LSTM is two of these, one after the other: its products over all steps, and the chain of its
/// steps, each of which reads the recurrent weights again (lstm_work.hpp).
///
/// Bytes are the tensors that a layer must read and write once its caches are too small to help:
/// layer_traffic.hpp.
#pragma once
#include <span>
#include <vector>

#include "models/network.hpp"
#include "training/cost/precision.hpp"
#include "training/profile/network_profile.hpp"

namespace paceline {

/// Where a time is from.
enum class CostSource {
  given,       ///< a synthetic layer says it
  profile,     ///< measured, this layer
  efficiency,  ///< roofline with the GPU's share for this kind of layer
  roofline,    ///< the bare roofline: nothing takes less
};
std::span<const EnumName<CostSource>> enum_names(const CostSource*);

/// One layer's times for a whole mini-batch.
struct LayerTime {
  Seconds forward, backward;
  CostSource source = CostSource::roofline;
  bool scaled = false;  ///< by scale_to, to a measured step
};

/// The times of every layer, in the network's order. `profile` may be null; one that was measured
/// of something else is not used. Requires batch > 0.
std::vector<LayerTime> layer_times(const Network& network, int batch, Precision precision,
                                   const GpuSpec& gpu, const NetworkProfile* profile);

/// Forward and backward of all layers: one worker's step without anything else.
Seconds step_time(const std::vector<LayerTime>& times);

/// Scales all times alike, so that they sum to the measured step of one worker.
/// Throws std::invalid_argument when they sum to nothing.
void scale_to(std::vector<LayerTime>& times, Seconds one_worker_step);

}  // namespace paceline
