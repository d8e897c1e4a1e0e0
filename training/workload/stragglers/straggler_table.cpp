// SPDX-License-Identifier: MIT
#include "training/workload/stragglers/constant.hpp"
#include "training/workload/stragglers/empirical.hpp"
#include "training/workload/stragglers/exponential.hpp"
#include "training/workload/stragglers/gamma.hpp"
#include "training/workload/stragglers/lognormal.hpp"
#include "training/workload/stragglers/markov.hpp"
#include "training/workload/stragglers/mixture.hpp"
#include "training/workload/stragglers/normal.hpp"
#include "training/workload/stragglers/pareto.hpp"
#include "training/workload/stragglers/shifted_exponential.hpp"
#include "training/workload/stragglers/straggler.hpp"
#include "training/workload/stragglers/uniform.hpp"
#include "training/workload/stragglers/weibull.hpp"

namespace paceline {
std::span<const EnumName<Applies>> enum_names(const Applies*) {
  static constexpr EnumName<Applies> kNames[] = {{"added", Applies::added},
                                                 {"total", Applies::total}};
  return kNames;
}

std::span<const EnumName<Phase>> enum_names(const Phase*) {
  static constexpr EnumName<Phase> kNames[] = {{"forward", Phase::forward},
                                               {"backward", Phase::backward}};
  return kNames;
}

const Family<Straggler>& table_of(const Straggler*) {
  static const Family<Straggler> table{
      "straggler distribution",
      {
          variant<ConstantStraggler, Straggler>("constant", "the same time for every mini-batch"),
          variant<UniformStraggler, Straggler>("uniform", "any time in a range, equally likely"),
          variant<NormalStraggler, Straggler>("normal", "a normal time, truncated at 0"),
          variant<ExponentialStraggler, Straggler>("exponential",
                                                   "memoryless time with the given mean"),
          variant<ShiftedExponentialStraggler, Straggler>("shifted-exponential",
                                                          "a fixed time plus a memoryless one"),
          variant<GammaStraggler, Straggler>("gamma", "given mean and spread, light tail"),
          variant<LognormalStraggler, Straggler>("lognormal", "given mean and spread, long tail"),
          variant<WeibullStraggler, Straggler>("weibull", "a lifetime with a given tail"),
          variant<ParetoStraggler, Straggler>("pareto", "power-law tail: rarely, very late"),
          variant<MixtureStraggler, Straggler>("mixture",
                                               "one of several distributions, at random"),
          variant<EmpiricalStraggler, Straggler>("empirical", "measured times, from a CSV"),
          variant<MarkovStraggler, Straggler>("markov", "slow spells of several mini-batches"),
      },
      {"constant", "value", "a time: that of every mini-batch"}};
  return table;
}

}  // namespace paceline
