// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/mixture.hpp"

#include <cmath>

namespace paceline {

bool MixtureStraggler::settle(const Tree& tree, Diagnostics& diagnostics) {
  const Tree& list = *tree.find("parts");
  std::vector<WeightedPart> parts;
  double sum = 0;
  bool good = true;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const MixturePart& part = written_[i];
    // A mixture of mixtures is itself a mixture, so it is refused; a slow spell of `markov` would
    // span mini-batches of other parts.
    good = check_part(part.time, "mixture", {"mixture", "markov"}, list.items[i].find("time")->at,
                      diagnostics) &&
           good;
    parts.push_back({part.share.fraction, part.time.part()});
    sum += part.share.fraction;
  }
  if (!good) return false;
  if (std::abs(sum - 1) > 1e-6) {
    diagnostics.error(list.at, "the shares add up to " + print_number(std::round(sum * 1e8) / 1e6) +
                                   " % (they must add up to 100 %)");
    return false;
  }
  parts_ = WeightedParts(std::move(parts));
  return true;
}

}  // namespace paceline
