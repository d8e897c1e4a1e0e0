// SPDX-License-Identifier: MIT
/// \file
/// A distribution of the lengths of sequences, in positions (words). A new one is one file in
/// distributions/ and one row in length_table.cpp.
#pragma once
#include <optional>

#include "experiments/language/family.hpp"

namespace paceline {

class LengthDistribution {
 public:
  virtual ~LengthDistribution() = default;
  /// The share of the sequences that have at most `length` positions. Requires length >= 1; 0 for
  /// shorter ones.
  virtual double share_up_to(int length) const = 0;
  /// The length of the longest sequence; empty where the distribution has no upper end, so that
  /// longer sequences than the network's are cut off.
  virtual std::optional<int> longest() const { return {}; }
};

/// The distributions that a user may name.
const Family<LengthDistribution>& table_of(const LengthDistribution*);

Variant<LengthDistribution> constant_length();
Variant<LengthDistribution> uniform_length();
Variant<LengthDistribution> lognormal_length();
Variant<LengthDistribution> table_of_lengths();

}  // namespace paceline
