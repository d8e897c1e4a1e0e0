// SPDX-License-Identifier: MIT
/// \file
/// Names of vertices that differ in their last number: gpu0..gpu7. Private to this folder.
#pragma once
#include <vector>

#include "topology/machine_spec.hpp"

namespace paceline {

/// The names of a range of at most `most`; any other name is returned unchanged.
std::vector<NameAt> names_in(const NameAt& written, int most);

}  // namespace paceline
