// SPDX-License-Identifier: MIT
/// \file
/// The `devices:` map of an experiment: several workers on one card, each with a virtual GPU.
#pragma once
#include "experiments/language/description.hpp"
#include "experiments/language/value.hpp"
#include "topology/gpu.hpp"
#include "training/workload/sm_groups.hpp"

namespace paceline {

/// The way in which workers share the card.
enum class Split {
  streams,  ///< each worker has CUDA streams of its own; the card runs kernels together where they
            ///< fit
  green,    ///< each worker has a group of multiprocessors to itself: a green context
};
std::span<const EnumName<Split>> enum_names(const Split*);

struct Devices {
  int gpu = 0;           ///< the card, by its number in the machine
  int virtual_gpus = 1;  ///< `virtual`: the largest number of workers that share it
  Split split = Split::streams;
  static void describe(Description<Devices>& d);
};

/// The groups of multiprocessors into which `devices` divides `card`.
SmGroups sm_groups_of(const Devices& devices, const GpuSpec& card);

/// "" or why the card cannot be divided into the virtual GPUs of `devices`.
std::string indivisible(const Devices& devices, const GpuSpec& card);

}  // namespace paceline
