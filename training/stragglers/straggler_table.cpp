// SPDX-License-Identifier: MIT
#include "training/stragglers/constant.hpp"
#include "training/stragglers/exponential.hpp"
#include "training/stragglers/gamma.hpp"
#include "training/stragglers/lognormal.hpp"
#include "training/stragglers/pareto.hpp"
#include "training/stragglers/shifted_exponential.hpp"
#include "training/stragglers/straggler.hpp"
#include "training/stragglers/uniform.hpp"

namespace paceline {

std::span<const EnumName<Applies>> enum_names(const Applies*) {
  static constexpr EnumName<Applies> kNames[] = {{"added", Applies::added},
                                                 {"total", Applies::total}};
  return kNames;
}

const Family<Straggler>& table_of(const Straggler*) {
  static const Family<Straggler> table{
      "straggler distribution",
      {
          variant<ConstantStraggler, Straggler>("constant", "the same time for every mini-batch"),
          variant<UniformStraggler, Straggler>("uniform", "any time between two, equally likely"),
          variant<ExponentialStraggler, Straggler>("exponential",
                                                   "memoryless time with the given mean"),
          variant<ShiftedExponentialStraggler, Straggler>(
              "shifted-exponential", "a fixed time and a memoryless one on top"),
          variant<GammaStraggler, Straggler>("gamma", "mean and spread of choice, light tail"),
          variant<LognormalStraggler, Straggler>("lognormal",
                                                 "mean and spread of choice, long tail"),
          variant<ParetoStraggler, Straggler>("pareto", "power-law tail: rarely, very late"),
      }};
  return table;
}

}  // namespace paceline
