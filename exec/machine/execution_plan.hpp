// SPDX-License-Identifier: MIT
/// \file
/// The plan of a repeat that a real clock carries out. A delay that is `applies: total` is shorter
/// by what the worker's last mini-batch took to compute, as measured: an execution knows no costs.
#pragma once
#include "training/experiment/setting.hpp"

namespace paceline {

/// Reports to `observer`, which must outlive the plan, as `setting` must.
Plan plan_of_execution(const Setting& setting, std::uint32_t repeat, Observer* observer);

}  // namespace paceline
