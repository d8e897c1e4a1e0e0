// SPDX-License-Identifier: MIT
/// \file
/// Many normal numbers at little cost: initial weights and synthetic items are made of them.
#pragma once
#include <cstdint>
#include <span>

#include "training/random/philox.hpp"

namespace paceline {

/// Adds `scale` x a standard normal number to each element. The numbers are a function of key,
/// stream and the element's index alone.
///
/// They are drawn by inverse CDF from a table that joins 4097 quantiles by straight lines: mean and
/// variance are right within 0.1 %, and nothing lies beyond 4 standard deviations. Good for data;
/// anything that is measured in tails takes exact quantiles.
void add_normal(std::span<float> into, float scale, PhiloxKey key, std::uint32_t stream);

}  // namespace paceline
