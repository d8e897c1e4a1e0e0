// SPDX-License-Identifier: MIT
// A length is a lognormal number, rounded, and 1 where it is below: with s^2 = ln(1 + cv^2),
//   share_up_to(l) = Phi((ln((l + 1/2) / mean) + s^2 / 2) / s)
#include <cmath>
#include <numbers>

#include "models/limits.hpp"
#include "training/workload/lengths/length_distribution.hpp"

namespace paceline {
namespace {

struct LognormalLength final : LengthDistribution {
  double mean = 1;
  double cv = 1;

  double share_up_to(int length) const override {
    if (length < 1) return 0;
    const double variance = std::log1p(cv * cv);
    const double z = (std::log((length + 0.5) / mean) + variance / 2) / std::sqrt(variance);
    return std::erfc(-z / std::numbers::sqrt2) / 2;
  }
  static void describe(Description<LognormalLength>& d) {
    d.required("mean", &LognormalLength::mean, "mean number of positions, before any is cut off")
        .at_least(1)
        .at_most(kMostPixels);
    d.required("cv", &LognormalLength::cv, "deviation over mean").at_least(0.001).at_most(10);
  }
};

}  // namespace

Variant<LengthDistribution> lognormal_length() {
  return variant<LognormalLength, LengthDistribution>(
      "lognormal", "given mean and spread, long tail, cut off at the network's length");
}

}  // namespace paceline
