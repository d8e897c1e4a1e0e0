// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/markov.hpp"

#include <algorithm>

namespace paceline {

bool MarkovStraggler::settle(const Tree& tree, Diagnostics& diagnostics) {
  bool good = check_part(usual_, "markov", {"markov"}, tree.find("usual")->at, diagnostics);
  good = check_part(slow_, "markov", {"markov"}, tree.find("slow")->at, diagnostics) && good;
  const double sum = enter_.fraction + leave_.fraction;
  // A number u_s decides the state with probability 1 - |1 - sum|, so a draw looks at no more than
  // 1000 of them on average.
  constexpr double kLeast = 0.001;
  if (sum < kLeast || sum > 2 - kLeast) {
    diagnostics.error(tree.find("enter")->at,
                      "'enter' and 'leave' together must be from 0.1 % to 199.9 %");
    good = false;
  }
  if (!good) return false;
  parts_ = WeightedParts({{1 - slow_share(), usual_.part()}, {slow_share(), slow_.part()}});
  return true;
}

StragglerShape MarkovStraggler::shape() const {
  StragglerShape shape = PartsStraggler::shape();
  shape.lasting = true;
  return shape;
}

bool MarkovStraggler::slow_at(const Draw& at) const {
  const double becomes = enter_.fraction;
  const double stays = 1 - leave_.fraction;
  bool swapped = false;  // whether the state decided further back is reversed here
  for (Draw back = at; back.step > 0; --back.step) {
    const double u = back.uniform(Purpose::spell);
    if (u < std::min(becomes, stays)) return !swapped;
    if (u >= std::max(becomes, stays)) return swapped;
    swapped ^= becomes > stays;  // in between, the state persists, or is reversed
  }
  Draw first = at;
  first.step = 0;
  return (first.uniform(Purpose::spell) < slow_share()) != swapped;
}

}  // namespace paceline
