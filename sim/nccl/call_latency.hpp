// SPDX-License-Identifier: MIT
/// \file
/// The time that a call of NCCL takes besides its bytes: it starts, its chunks fill, and messages
/// follow each other from step to step.
#pragma once
#include "sim/costs/nccl_constants.hpp"
#include "sim/nccl/tuner.hpp"

namespace paceline {

/// The ranks of a call, and its messages between computers.
struct NcclPlaces {
  const NcclRanks& ranks;
  Seconds wire;            ///< latency of the links between two computers
  bool announced = false;  ///< a message is announced and answered before it is sent
};

/// \param bytes    the whole buffer of a rank
/// \param of_bytes time that the bytes of the call take
/// Never falls as bytes grow.
Seconds nccl_latency(const NcclCosts& costs, const NcclPlaces& places, Operation operation,
                     double bytes, NcclChoice choice, Seconds of_bytes);

}  // namespace paceline
