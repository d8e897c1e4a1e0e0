// SPDX-License-Identifier: MIT
/// \file
/// The parts of a worker's step as `explain` shows them. The arithmetic of the columns also
/// has the time in which a GPU waits for the launch of its kernels, and by which the collective
/// library slows the kernels that run beside it; here these are parts of their own.
#pragma once
#include <string>
#include <vector>

#include "sim/costs/prediction.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// The part of a mini-batch's arithmetic that is none, in seconds.
struct BehindArithmetic {
  double launches = 0;  ///< waiting for the launch of kernels
  double library = 0;   ///< slower kernels beside calls of the collective library
};

/// Found by simulations without either, which differ in nothing else.
BehindArithmetic behind_arithmetic(const Prediction& setting, const Measurement& predicted);

/// The changed costs of these simulations: launches that take no time, and calls of the library
/// that take nothing from the GPU.
void without_launches(Prediction& setting);
void without_occupation(Prediction& setting);

/// One part of a worker's step.
struct StepPart {
  const char* name;  ///< "waiting for input"
  double seconds;
  const char* bound;  ///< "input-bound"
  const char* is;     ///< " of a step waits for input"
};

/// All parts, those of no time included; their sum is the step.
std::vector<StepPart> step_parts(const Measurement& predicted, const BehindArithmetic& behind);

}  // namespace paceline
