// SPDX-License-Identifier: MIT
/// \file
/// The `devices:` map: several workers on one card, each with a virtual GPU of its own.
#pragma once
#include "experiments/description.hpp"
#include "experiments/value.hpp"

namespace paceline {

/// How the workers share the card.
enum class Split {
  streams,  ///< each has CUDA streams of its own; the card runs what there is room for
  green,    ///< each has a group of multiprocessors to itself: a green context
};
std::span<const EnumName<Split>> enum_names(const Split*);

struct Devices {
  int gpu = 0;           ///< the card, by its number in the machine
  int virtual_gpus = 1;  ///< `virtual`: the most workers that share it
  Split split = Split::streams;
  static void describe(Description<Devices>& d);
};

}  // namespace paceline
