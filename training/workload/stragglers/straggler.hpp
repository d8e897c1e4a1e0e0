// SPDX-License-Identifier: MIT
/// \file
/// A distribution of a time that varies from mini-batch to mini-batch and makes workers late. A
/// draw is a pure function of its mini-batch, `quantile(uniform(...))` unless a distribution
/// overrides it, so the simulator and an execution have the same delays. A new distribution is one
/// header beside this one and one row in straggler_table.cpp.
#pragma once
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "experiments/language/family.hpp"
#include "experiments/language/units.hpp"
#include "training/workload/random/draw.hpp"

namespace paceline {

/// How a draw changes the time of its mini-batch.
enum class Applies {
  added,  ///< the draw is added to the arithmetic
  total,  ///< the draw is the whole mini-batch time; longer arithmetic is not cut short
};
std::span<const EnumName<Applies>> enum_names(const Applies*);

/// The point of a mini-batch at which a delay comes.
enum class Phase {
  forward,   ///< before the forward pass
  backward,  ///< between the forward and the backward pass
};
std::span<const EnumName<Phase>> enum_names(const Phase*);

/// How the remaining time relates to the time that has passed; it decides which theorems on
/// asynchronous training hold.
enum class Aging {
  memoryless,  ///< the remaining time does not depend on the time passed: exponential
  new_longer,  ///< a new draw is stochastically at least as long as the rest of an old one
  neither,
};

/// The properties of a distribution that the quadratures of training/theory need.
struct StragglerShape {
  Seconds low{0};                                          ///< no draw is below
  Seconds high{std::numeric_limits<double>::infinity()};   ///< no draw is above
  double index = std::numeric_limits<double>::infinity();  ///< moments of lower order are finite
  Aging aging = Aging::neither;
  bool lasting = false;  ///< a worker's draws depend on its earlier ones: slow spells
};

/// The mini-batch of a draw.
struct Draw {
  std::uint64_t seed = 0;
  std::uint32_t repeat = 0;
  std::uint32_t worker = 0;
  std::uint64_t step = 0;  ///< mini-batches that `worker` has begun, cancelled ones included

  /// The uniform number of this mini-batch for one purpose.
  double uniform(Purpose purpose) const {
    return paceline::uniform(seed, repeat, purpose, worker, step);
  }
};

/// A distribution of a time >= 0.
class Straggler {
 public:
  virtual ~Straggler() = default;
  /// The time of one mini-batch. The same `at` gives the same time on every clock, in any order.
  virtual Seconds draw(const Draw& at) const { return quantile(at.uniform(Purpose::straggler)); }
  /// The longest of `draws` independent draws, as one draw: that of the mini-batch `at` if it is
  /// the only one. Requires draws >= 1 and a law without `lasting`.
  Seconds longest(const Draw& at, int draws) const;
  /// The time that a share `u` of the draws does not exceed. Requires 0 < u < 1.
  virtual Seconds quantile(double u) const = 0;
  /// quantile(1 - share), exact where 1 - share would round to 1: the far tail. Requires 0 < share
  /// < 1.
  virtual Seconds upper_quantile(double share) const = 0;
  /// The share of draws that are at most `time`.
  virtual double cdf(Seconds time) const = 0;
  /// The share of draws that are longer than `time`, exact in the far tail.
  virtual double survival(Seconds time) const = 0;
  /// Mean of a draw; infinite where it does not exist.
  virtual Seconds mean() const = 0;
  /// Deviation over mean; infinite where the deviation does not exist, 0 where the mean is 0.
  virtual double cv() const = 0;
  virtual StragglerShape shape() const = 0;
  /// The times at which the cdf jumps, bends or changes its scale, in any order: the quadratures
  /// split there. Empty where `quantile` is smooth on all of (0, 1).
  virtual std::vector<Seconds> corners() const { return {}; }
  /// The content that the keys only refer to, such as that of a file; "" where the keys are
  /// complete.
  virtual std::string content() const { return ""; }

  Applies applies = Applies::added;
  Phase phase = Phase::forward;
};

/// Describes the keys that every distribution has; each variant's `describe` ends with it.
template <class Kind>
void describe_applies(Description<Kind>& d) {
  d.optional("applies", static_cast<Applies Kind::*>(&Kind::applies),
             "the draw is added to the arithmetic, or is the total time of the mini-batch");
  d.optional("phase", static_cast<Phase Kind::*>(&Kind::phase),
             "the pass that the delay comes before");
}

/// The distributions that a user may name.
const Family<Straggler>& table_of(const Straggler*);

}  // namespace paceline
