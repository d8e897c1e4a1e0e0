// SPDX-License-Identifier: MIT
/// \file
/// The distribution of a time that comes from one of several distributions, each with its share:
/// F(t) = sum of share x F_part(t). What `mixture` and `markov` are in the long run.
#pragma once
#include <memory>
#include <vector>

#include "training/stragglers/straggler.hpp"

namespace paceline {

/// A distribution and how often it is the one.
struct WeightedPart {
  double share = 0;
  std::shared_ptr<const Straggler> law;
};

/// Its functions are those of `Straggler`. The quantiles are found by bisection, which the jumps of
/// a constant part and the gaps between parts cannot mislead, to the last bit.
class WeightedParts {
 public:
  WeightedParts() = default;
  /// Requires at least one part; shares are > 0 and are scaled to add up to 1.
  explicit WeightedParts(std::vector<WeightedPart> parts);

  Seconds quantile(double u) const;
  Seconds upper_quantile(double share) const;
  double cdf(Seconds time) const;
  double survival(Seconds time) const;
  Seconds mean() const;
  double cv() const;
  StragglerShape shape() const;
  std::vector<Seconds> corners() const;
  std::string content() const;

  /// The part that a uniform number in (0, 1) chooses.
  const Straggler& chosen(double u) const;

 private:
  std::vector<WeightedPart> parts_;
};

/// A distribution that is one of the above in the long run.
class PartsStraggler : public Straggler {
 public:
  Seconds quantile(double u) const override { return parts_.quantile(u); }
  Seconds upper_quantile(double share) const override { return parts_.upper_quantile(share); }
  double cdf(Seconds time) const override { return parts_.cdf(time); }
  double survival(Seconds time) const override { return parts_.survival(time); }
  Seconds mean() const override { return parts_.mean(); }
  double cv() const override { return parts_.cv(); }
  StragglerShape shape() const override { return parts_.shape(); }
  std::vector<Seconds> corners() const override { return parts_.corners(); }
  std::string content() const override { return parts_.content(); }

 protected:
  WeightedParts parts_;
};

/// Notes a part that is no plain distribution of its own: one whose kind is among `refused`, or
/// that says `applies: total`, which is for the whole to say. `whole` is the kind that it is part
/// of.
bool check_part(const Choice<Straggler>& part, const std::string& whole,
                const std::vector<std::string>& refused, const Location& at,
                Diagnostics& diagnostics);

}  // namespace paceline
