// SPDX-License-Identifier: MIT
/// \file
/// The result of a repeat on a real clock.
#pragma once
#include <string>
#include <vector>

#include "training/results/metrics/measurement.hpp"

namespace paceline {

struct Executed {
  std::vector<float> weights;
  std::vector<CurvePoint> curve;
  std::string status = "ok";
};

}  // namespace paceline
