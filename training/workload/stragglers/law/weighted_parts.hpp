// SPDX-License-Identifier: MIT
/// \file
/// The distribution of a time that comes from one of several distributions, each with a share: F(t)
/// = sum of share x F_part(t). It is the distribution of `mixture`, and of `markov` in the long
/// run.
#pragma once
#include <memory>
#include <vector>

#include "training/workload/stragglers/straggler.hpp"

namespace paceline {

/// A distribution and the share of the draws that come from it.
struct WeightedPart {
  double share = 0;
  std::shared_ptr<const Straggler> law;
};

/// Its functions are those of `Straggler`. Quantiles are found by bisection to the last bit, which
/// is robust against the jumps of a constant part and the gaps between parts.
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

  /// The part that a uniform number in (0, 1) selects.
  const Straggler& chosen(double u) const;

 private:
  std::vector<WeightedPart> parts_;
};

/// A straggler with the distribution of WeightedParts in the long run.
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

/// Notes an error if a part is not a plain distribution: if its kind is among `refused`, or if it
/// says `applies: total` or `phase: backward`, keys of the whole. `whole` is the kind that the part
/// belongs to. True without an error.
bool check_part(const Choice<Straggler>& part, const std::string& whole,
                const std::vector<std::string>& refused, const Location& at,
                Diagnostics& diagnostics);

}  // namespace paceline
