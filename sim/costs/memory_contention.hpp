// SPDX-License-Identifier: MIT
/// \file
/// The memory bandwidth that the groups of a split card get together, derived from the measured
/// times of one worker alone and of several at once that train independently.
///
/// Workers that begin together stay in step, so all P draw the same layer's bytes at the same time.
/// A layer that takes t alone and moves b bytes takes P b / C on a card that gives C to all: no
/// less than t, and no more than P t, the time if one worker alone draws all of C. The whole
/// mini-batch takes
///
///     T(C) = sum over the layers of  min(max(t, P b / C), P t),
///
/// which falls as C grows. The answer is the C at which T is the measured time: one figure that
/// stands for the memory, the second-level cache and the lower clocks when many SMs are busy.
#pragma once
#include <span>

#include "experiments/language/units.hpp"

namespace paceline {

/// A pass of a layer, alone on its group.
struct LayerDraw {
  Seconds time;
  Bytes traffic;  ///< to and from memory
};

/// T(C) of `workers` in step.
Seconds time_together(std::span<const LayerDraw> layers, int workers, BytesPerSecond bandwidth);

/// The C at which T is `together`, to 1e-9 of it. If `together` is no longer than one worker's
/// time, the least C that delays no worker; if it is longer than T can be, the C that serialises
/// all workers. 0 where no layer moves anything. Requires workers > 0 and times > 0 where there is
/// traffic.
BytesPerSecond bandwidth_of_groups(std::span<const LayerDraw> layers, int workers,
                                   Seconds together);

}  // namespace paceline
