// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/gamma.hpp"

#include <boost/math/special_functions/gamma.hpp>

namespace paceline {
namespace {

namespace policies = boost::math::policies;
/// Computes in double everywhere, so that results do not depend on a platform's long double; never
/// throws.
using Policy = policies::policy<policies::promote_double<false>,
                                policies::domain_error<policies::ignore_error>,
                                policies::overflow_error<policies::ignore_error>,
                                policies::evaluation_error<policies::ignore_error>>;

}  // namespace

Seconds GammaStraggler::quantile(double u) const {
  return mean_ * (boost::math::gamma_p_inv(alpha(), u, Policy()) / alpha());
}

Seconds GammaStraggler::upper_quantile(double share) const {
  return mean_ * (boost::math::gamma_q_inv(alpha(), share, Policy()) / alpha());
}

double GammaStraggler::cdf(Seconds time) const {
  if (!(time > Seconds{0})) return 0;
  return boost::math::gamma_p(alpha(), alpha() * (time / mean_), Policy());
}

double GammaStraggler::survival(Seconds time) const {
  if (!(time > Seconds{0})) return 1;
  return boost::math::gamma_q(alpha(), alpha() * (time / mean_), Policy());
}

StragglerShape GammaStraggler::shape() const {
  const Aging aging = cv_ < 1 ? Aging::new_longer : Aging::neither;  // rising or falling hazard
  return {.aging = cv_ == 1 ? Aging::memoryless : aging};
}

}  // namespace paceline
