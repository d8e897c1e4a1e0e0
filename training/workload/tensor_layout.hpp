// SPDX-License-Identifier: MIT
/// \file
/// The order of an image's numbers in a GPU's memory.
#pragma once
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {

enum class Layout { nchw, nhwc };
std::span<const EnumName<Layout>> enum_names(const Layout*);

}  // namespace paceline
