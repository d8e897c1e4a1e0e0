// SPDX-License-Identifier: MIT
// The time until k of P workers are done is longer than t where fewer than k are done by t, which
// is where more than P-k are not, so its expectation is the integral over t of the probability S(t)
// of either. With s_g the share of group g that takes longer than t, those not done of each group
// are Binomial(count, s_g), and S is a tail of their sum, built up group by group from positive
// terms only, so that it is exact however small it is. For k = P: 1 - prod F_i.
#include "training/theory/unequal_workers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

namespace paceline {
namespace {

namespace policies = boost::math::policies;
using Binomial =
    boost::math::binomial_distribution<double, policies::policy<policies::promote_double<false>>>;

/// Adds `count` workers, each with probability `share`, to the probabilities that 0, 1, ... are
/// counted; the last entry is that of its index or more.
void add_group(std::vector<double>& counted, int count, double share) {
  if (share <= 0) return;
  const std::size_t most = counted.size() - 1;
  const Binomial law(count, share);
  std::vector<double> of_group(std::min(most, static_cast<std::size_t>(count)) + 1);
  for (std::size_t j = 0; j < of_group.size(); ++j) {
    of_group[j] = j < most ? boost::math::pdf(law, static_cast<double>(j))
                           : boost::math::cdf(complement(law, static_cast<double>(j) - 1));
  }
  std::vector<double> sum(most + 1);
  for (std::size_t i = 0; i <= most; ++i) {
    for (std::size_t j = 0; counted[i] > 0 && j < of_group.size(); ++j) {
      sum[std::min(i + j, most)] += counted[i] * of_group[j];
    }
  }
  counted = std::move(sum);
}

/// S(t) for a target of k workers, by whichever count is the shorter.
class StillWaiting {
 public:
  StillWaiting(std::span<const AlikeWorkers> groups, int k, int unfinished)
      : groups_(groups), k_(k), unfinished_(unfinished) {}

  double operator()(double time) const {
    const bool count_done = k_ < unfinished_;
    std::vector<double> counted(static_cast<std::size_t>(count_done ? k_ : unfinished_) + 1);
    counted[0] = 1;
    for (const AlikeWorkers& group : groups_) {
      const double share =
          count_done ? group.x.cdf(Seconds{time}) : group.x.survival(Seconds{time});
      add_group(counted, group.count, share);
    }
    if (!count_done) return std::min(1.0, counted.back());
    return std::min(1.0, std::accumulate(counted.begin(), counted.end() - 1, 0.0));
  }

 private:
  std::span<const AlikeWorkers> groups_;
  int k_;
  int unfinished_;  ///< as long as so many are not done, fewer than k are
};

/// Times between which S is smooth and, at most, falls once: the ends of every group's support and
/// some of its quantiles, in order; of a power tail, up to where it is a power to the last digit.
std::vector<double> pieces(std::span<const AlikeWorkers> groups) {
  std::vector<double> at;
  for (const AlikeWorkers& group : groups) {
    const StragglerShape shape = group.x.shape();
    at.push_back(shape.low.value());
    if (std::isfinite(shape.high.value())) at.push_back(shape.high.value());
    for (const double logit : {1.0, 3.0, 8.0, 20.0, 40.0}) {
      const double share = 1 / (1 + std::exp(logit));
      at.push_back(group.x.quantile(share).value());
      at.push_back(group.x.upper_quantile(share).value());
    }
    if (!std::isfinite(shape.index)) continue;
    for (const double logit : {60.0, 90.0, 135.0, 200.0, 300.0, 450.0, 700.0}) {
      const double time = group.x.upper_quantile(std::exp(-logit)).value();
      if (time < 1e290) at.push_back(time);
    }
  }
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  return at;
}

/// The integral of S over one piece, to `tolerance` of itself. A wide piece is one of a power tail,
/// which is smooth in the logarithm of the time.
double over_piece(const StillWaiting& still, double from, double to, double tolerance) {
  using Kronrod = boost::math::quadrature::gauss_kronrod<double, 31>;
  constexpr unsigned kHalvings = 6;
  if (from <= 0 || to < 4 * from) return Kronrod::integrate(still, from, to, kHalvings, tolerance);
  const auto in_logarithm = [&](double y) { return still(std::exp(y)) * std::exp(y); };
  return Kronrod::integrate(in_logarithm, std::log(from), std::log(to), kHalvings, tolerance);
}

}  // namespace

std::optional<Seconds> expected_time_of_first(int k, std::span<const AlikeWorkers> groups) {
  int workers = 0;
  double index = std::numeric_limits<double>::infinity();
  for (const AlikeWorkers& group : groups) {
    workers += group.count;
    index = std::min(index, group.x.shape().index);
  }
  assert(1 <= k && k <= workers);
  const int unfinished = workers - k + 1;
  if (!(index * unfinished > 1)) return std::nullopt;

  const StillWaiting still(groups, k, unfinished);
  const std::vector<double> at = pieces(groups);
  std::vector<double> low;    // S just before the end of each piece, where it may jump
  double least = at.front();  // no worker is done before; S falls, so this becomes a lower bound
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    low.push_back(still(std::nextafter(at[i + 1], at[i])));
    least += (at[i + 1] - at[i]) * low.back();
  }
  double sum = at.front();
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double width = at[i + 1] - at[i];
    const double high = still(at[i]);
    if (width * (high - low[i]) < 1e-12 * least) {
      sum += width * (high + low[i]) / 2;
    } else {
      sum += over_piece(still, at[i], at[i + 1], 1e-10 * std::max(1.0, least / (width * high)));
    }
  }
  // Beyond the last piece, a power tail falls as t^(-index x unfinished) to the last digit.
  if (std::isfinite(index)) sum += at.back() * still(at.back()) / (index * unfinished - 1);
  return Seconds{sum};
}

}  // namespace paceline
