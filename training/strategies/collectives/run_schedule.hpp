// SPDX-License-Identifier: MIT
/// \file
/// Carries out a schedule as one rank, on any clock.
#pragma once
#include <span>

#include "training/runtime/backend.hpp"
#include "training/runtime/task.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// One run of a schedule on a slice of a buffer of each rank.
struct CollectiveCall {
  const CollectiveSchedule* schedule = nullptr;
  std::span<const RoleId> roles;  ///< by rank; empty: role r has rank r
  int rank = 0;                   ///< of the caller
  Slice slice;
  Buffer buffer = Buffer::gradient;  ///< that the slice is of
  std::int32_t slot = 0;             ///< of the buffer
  std::int64_t landing = 0;          ///< where its share of every rank's landing begins
  GradientCodec codec;               ///< of the buffer, which then has words
  Slice decoded;                     ///< of the gradient, where encoded numbers cannot be added
  int slices = 1;                    ///< that follow each other through the schedule, a step apart
};

/// The parameters of the landing that a call uses.
std::int64_t landing_size(const CollectiveCall& call);

/// Every rank makes the same calls in the same order. The rank's part is valid after `ready`.
Task<Reduced> run_schedule(CollectiveCall call, Backend& backend, Token ready);

}  // namespace paceline
