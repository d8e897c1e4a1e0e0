// SPDX-License-Identifier: MIT
#include "training/learning/rates/schedule.hpp"

#include <cassert>

#include "training/learning/rates/schedules/constant.hpp"
#include "training/learning/rates/schedules/cosine.hpp"
#include "training/learning/rates/schedules/linear_scaling.hpp"
#include "training/learning/rates/schedules/step.hpp"

namespace paceline {

double share_passed(const Length& length, const Progress& progress) {
  assert(length.epochs == 0 || progress.epochs);
  if (length.epochs != 0) return progress.epochs.value_or(0) / length.epochs;
  return progress.rounds / static_cast<double>(length.rounds);
}

const Family<Schedule>& table_of(const Schedule*) {
  static const Family<Schedule> table{
      "learning-rate schedule",
      {
          variant<ConstantRate, Schedule>("constant", "the same rate throughout"),
          variant<LinearScaling, Schedule>("linear-scaling",
                                           "proportional to the items of an update"),
          variant<StepDecay, Schedule>("step", "falls by a factor at given times"),
          variant<CosineDecay, Schedule>("cosine", "falls to 0 along half a cosine"),
      }};
  return table;
}

}  // namespace paceline
