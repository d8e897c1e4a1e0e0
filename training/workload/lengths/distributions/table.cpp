// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/language/share.hpp"
#include "models/limits.hpp"
#include "training/workload/lengths/length_distribution.hpp"

namespace paceline {
namespace {

struct LengthShare {
  int length = 1;
  Percent share{0};

  static void describe(Description<LengthShare>& d) {
    d.required("length", &LengthShare::length, "positions").at_least(1).at_most(kMostPixels);
    d.required("share", &LengthShare::share, "share of the sequences")
        .above(Percent{0})
        .at_most(Percent{1});
  }
};

struct TableOfLengths final : LengthDistribution {
  std::vector<LengthShare> lengths;

  double share_up_to(int length) const override {
    double sum = 0;
    for (const LengthShare& one : lengths) {
      if (one.length <= length) sum += one.share.fraction;
    }
    return sum;
  }
  std::optional<int> longest() const override {
    return std::ranges::max_element(lengths, {}, &LengthShare::length)->length;
  }
  std::string invalid() const {
    double sum = 0;
    for (const LengthShare& one : lengths) sum += one.share.fraction;
    constexpr double kRounding = 1e-9;
    return std::abs(sum - 1) <= kRounding ? "" : "the shares of 'lengths' must add up to 100 %";
  }
  static void describe(Description<TableOfLengths>& d) {
    d.required("lengths", &TableOfLengths::lengths, "each length and its share of the sequences");
  }
};

}  // namespace

Variant<LengthDistribution> table_of_lengths() {
  return variant<TableOfLengths, LengthDistribution>("table", "given lengths and their shares");
}

}  // namespace paceline
