// SPDX-License-Identifier: MIT
/// \file
/// The `draws:` key of an experiment: which of the workers' delays a simulation draws.
#pragma once
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {

enum class Draws {
  exact,     ///< the delay of each worker
  extremes,  ///< of equal workers that wait for each other the longest alone, as one draw
};
std::span<const EnumName<Draws>> enum_names(const Draws*);

}  // namespace paceline
