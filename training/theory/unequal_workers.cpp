// SPDX-License-Identifier: MIT
// The time until k of P workers are done exceeds t if fewer than k are done by t, that is if more
// than P-k are not. Its expectation is the integral over t of the probability S(t) of that event.
// With s_g the share of group g that takes longer than t, the number of its workers that are not
// done is Binomial(count, s_g). S is a tail of the sum of these, accumulated group by group from
// positive terms only, so that it is exact even where it is tiny. For k = P: 1 - prod F_i.
#include "training/theory/unequal_workers.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>

namespace paceline {
namespace {

namespace policies = boost::math::policies;
using Policy = policies::policy<policies::promote_double<false>>;
using Binomial = boost::math::binomial_distribution<double, Policy>;

/// `counted[i]` is the probability that i workers are counted, or i or more for the last entry.
/// Adds `count` workers, each counted with probability `share`.
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

/// S(t) for a target of k workers. Counts the workers that are done or those that are not,
/// whichever needs fewer terms.
class StillWaiting {
 public:
  StillWaiting(std::span<const AlikeWorkers> groups, int k, int unfinished)
      : groups_(groups), k_(k), unfinished_(unfinished) {}

  double operator()(double time) const {
    if (groups_.size() == 1) return of_alike(groups_.front().x, Seconds{time});
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
  /// A binomial tail is an incomplete beta function.
  double of_alike(const StepTime& x, Seconds time) const {
    const double share = x.survival(time);
    if (share < 0.5) return boost::math::ibeta(unfinished_, k_, share, Policy());
    return boost::math::ibetac(k_, unfinished_, x.cdf(time), Policy());
  }

  std::span<const AlikeWorkers> groups_;
  int k_;
  int unfinished_;  ///< P-k+1: while this many workers are not done, fewer than k are
};

/// Times between which S is smooth and falls at most once, in order: the ends of every group's
/// support, its corners and some of its quantiles. Those of a power tail extend to the time from
/// which it is a power to the last digit.
std::vector<double> pieces(std::span<const AlikeWorkers> groups) {
  std::vector<double> at;
  for (const AlikeWorkers& group : groups) {
    for (const Seconds corner : group.x.corners()) at.push_back(corner.value());
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

/// Just inside a piece that begins or ends at `time`, so that rounding cannot move a jump into it.
double just_after(double time) {
  return time * (1 + 1e-15);
}
double just_before(double time) {
  return time * (1 - 1e-15);
}

struct Piece {
  double from, to;
  double high, low;  ///< S at either end
};

/// The integral of S over one piece, where the sum over all of them is at least `least`.
double over_piece(const StillWaiting& still, const Piece& piece, double least) {
  const double width = piece.to - piece.from;
  const double trapezoid = width * (piece.high + piece.low) / 2;
  const double drop = piece.high - piece.low;
  if (width * drop < 1e-12 * least) return trapezoid;
  if (drop < 0.02) {
    // The error of Simpson's rule is about the square of its distance from the trapezoid's.
    const double middle = still(piece.from + width / 2);
    const double simpson = trapezoid / 3 + width * middle * 2 / 3;
    if (std::abs(simpson - trapezoid) < 1e-4 * width * drop) return simpson;
  }
  using Kronrod = boost::math::quadrature::gauss_kronrod<double, 31>;
  constexpr unsigned kHalvings = 6;
  const double tolerance = 1e-10 * std::max(1.0, least / (width * piece.high));
  if (piece.from <= 0 || piece.to < 4 * piece.from) {
    return Kronrod::integrate(still, piece.from, piece.to, kHalvings, tolerance);
  }
  // A wide piece belongs to a power tail, which is smooth in the logarithm of the time.
  const auto in_logarithm = [&](double y) { return still(std::exp(y)) * std::exp(y); };
  return Kronrod::integrate(in_logarithm, std::log(piece.from), std::log(piece.to), kHalvings,
                            tolerance);
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
  constexpr std::size_t kMostPieces = 200'000;  // beyond, the quadrature takes seconds
  if (at.size() > kMostPieces) return std::nullopt;
  std::vector<double> low;    // S just before the end of each piece, where it may jump
  double least = at.front();  // S is 1 before; as S falls, the sum below is a lower bound
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    low.push_back(still(just_before(at[i + 1])));
    least += (at[i + 1] - at[i]) * low.back();
  }
  double sum = at.front();
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const double high = still(just_after(at[i]));
    sum += over_piece(still, {at[i], at[i + 1], high, low[i]}, least);
  }
  // Beyond the last piece, a power tail falls as t^(-index x unfinished) to the last digit.
  if (std::isfinite(index)) sum += at.back() * still(at.back()) / (index * unfinished - 1);
  return Seconds{sum};
}

}  // namespace paceline
