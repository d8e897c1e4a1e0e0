// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/straggler.hpp"

#include <cmath>
#include <numbers>

namespace paceline {

Seconds Straggler::longest(const Draw& at, int draws) const {
  if (draws == 1) return draw(at);
  // The longest of n draws is at most t with the chance F(t)^n, so it is the quantile of u^(1/n).
  // That is close to 1 for a large n, where its distance from 1 has more digits.
  const double exponent = std::log(at.uniform(Purpose::straggler)) / draws;
  return exponent < -std::numbers::ln2 ? quantile(std::exp(exponent))
                                       : upper_quantile(-std::expm1(exponent));
}

}  // namespace paceline
