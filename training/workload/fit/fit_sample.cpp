// SPDX-License-Identifier: MIT
#include "training/workload/fit/fit_sample.hpp"

#include <cassert>
#include <cmath>

namespace paceline {

FitSample::FitSample(std::span<const double> rising)
    : times(rising), count(static_cast<double>(rising.size())) {
  assert(rising.size() >= 2 && rising.front() < rising.back());
  for (const double time : times) {
    mean += time / count;
    mean_log += std::log(time) / count;
  }
  for (const double time : times) {
    variance += (time - mean) * (time - mean) / count;
    variance_log += (std::log(time) - mean_log) * (std::log(time) - mean_log) / count;
  }
}

}  // namespace paceline
