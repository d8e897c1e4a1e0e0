// SPDX-License-Identifier: MIT
/// \file
/// How much memory bandwidth the groups of a split card get together, from what was measured of one
/// worker alone and of several at once that each train for themselves.
///
/// Workers that begin together stay in step, so that all P draw the same layer's bytes at once. A
/// layer that takes t alone and moves b bytes then takes P b / C on a card that gives C to all: no
/// less than t, and no more than P t, when one worker alone draws all there is. The whole
/// mini-batch takes
///
///     T(C) = sum over the layers of  min(max(t, P b / C), P t),
///
/// which falls as C grows. The C whose T is the measured time is the answer: one figure that stands
/// for the memory, the second-level cache and the clocks that many busy SMs bring down.
#pragma once
#include <span>

#include "experiments/units.hpp"

namespace paceline {

/// A layer's pass, alone on its group.
struct LayerDraw {
  Seconds time;
  Bytes traffic;  ///< to and from memory
};

/// T(C) of `workers` in step.
Seconds time_together(std::span<const LayerDraw> layers, int workers, BytesPerSecond bandwidth);

/// The C that gives `together`, to 1e-9 of it: what holds nobody up where `together` is no longer
/// than one worker's time, and what serialises everybody where it is longer than T can be. 0 where
/// no layer moves anything. Requires workers > 0 and times > 0 where there is traffic.
BytesPerSecond bandwidth_of_groups(std::span<const LayerDraw> layers, int workers,
                                   Seconds together);

}  // namespace paceline
