// SPDX-License-Identifier: MIT
#include "training/workload/lengths/length_distribution.hpp"

namespace paceline {

const Family<LengthDistribution>& table_of(const LengthDistribution*) {
  static const Family<LengthDistribution> table{
      "distribution of lengths",
      {constant_length(), uniform_length(), lognormal_length(), table_of_lengths()}};
  return table;
}

}  // namespace paceline
