// SPDX-License-Identifier: MIT
/// \file
/// The parts of a worker's step as `explain` shows them. The arithmetic in results.csv includes the
/// time in which a GPU waits for the launch of its kernels, and the time by which the collective
/// library slows the kernels beside it; here both are parts of their own.
#pragma once
#include <string>
#include <vector>

#include "sim/costs/prediction.hpp"
#include "training/results/metrics/measurement.hpp"

namespace paceline {

/// The parts of a mini-batch's measured arithmetic that are not arithmetic, in seconds.
struct BehindArithmetic {
  double launches = 0;  ///< waiting for the launch of kernels
  double library = 0;   ///< slower kernels beside calls of the collective library
};

/// Finds these parts by simulations without each of them. Throws as `simulate`.
BehindArithmetic behind_arithmetic(const Prediction& setting, const Measurement& predicted);

/// Sets the time of launches to 0.
void without_launches(Prediction& setting);
/// Lets calls of the collective library take nothing from the GPU.
void without_occupation(Prediction& setting);

/// A part of a worker's step.
struct StepPart {
  enum class Kind {
    own_work,  ///< the worker's arithmetic and delays
    workers,   ///< the wait for other workers
    other,
  };
  Kind kind;
  const char* name;  ///< "waiting for input"
  double seconds;
  const char* bound;  ///< "input-bound"
  const char* is;     ///< " of a step waits for input"
};

/// All parts, also those of 0 s; their sum is the step.
std::vector<StepPart> step_parts(const Measurement& predicted, const BehindArithmetic& behind);

}  // namespace paceline
