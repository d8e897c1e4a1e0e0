// SPDX-License-Identifier: MIT
#include "training/learning/rates/staleness_rule.hpp"

#include "training/learning/rates/staleness/average.hpp"
#include "training/learning/rates/staleness/distance.hpp"
#include "training/learning/rates/staleness/none.hpp"
#include "training/learning/rates/staleness/per_gradient.hpp"

namespace paceline {

const Family<StalenessRule>& table_of(const StalenessRule*) {
  static const Family<StalenessRule> table{
      "staleness rule",
      {
          variant<IgnoreStaleness, StalenessRule>("none", "stale gradients count in full"),
          variant<AverageStaleness, StalenessRule>(
              "average", "the rate over the mean staleness of an update's gradients"),
          variant<PerGradientStaleness, StalenessRule>("per-gradient",
                                                       "each gradient over its own staleness"),
          variant<DistanceStaleness, StalenessRule>(
              "distance", "each gradient by how far the weights have moved since"),
      }};
  return table;
}

}  // namespace paceline
