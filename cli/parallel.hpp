// SPDX-License-Identifier: MIT
/// \file
/// A loop over points on several threads.
#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace paceline {

/// Calls `work` for every index in `todo` on `jobs` threads. Rethrows the first exception.
void for_each_parallel(const std::vector<std::size_t>& todo, int jobs,
                       const std::function<void(std::size_t)>& work);

}  // namespace paceline
