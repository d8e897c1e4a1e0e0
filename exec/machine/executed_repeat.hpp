// SPDX-License-Identifier: MIT
/// \file
/// What a repeat ends with, on any real clock.
#pragma once
#include <string>
#include <vector>

#include "training/metrics/measurement.hpp"

namespace paceline {

struct Executed {
  std::vector<float> weights;
  std::vector<CurvePoint> curve;
  std::string status = "ok";
};

}  // namespace paceline
