// SPDX-License-Identifier: MIT
/// \file
/// In which order an image's numbers lie in a GPU's memory.
#pragma once
#include <span>

#include "experiments/value.hpp"

namespace paceline {

enum class Layout { nchw, nhwc };
std::span<const EnumName<Layout>> enum_names(const Layout*);

}  // namespace paceline
