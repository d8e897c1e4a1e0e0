// SPDX-License-Identifier: MIT
/// \file
/// Measures the parts of an exchange of gradients between this computer's threads: copies, sums and
/// what passes between two operations. The parts are observed while small collectives run, so that
/// caches, threads and cores are as they are in an exchange.
#pragma once
#include "exec/calibrate/step.hpp"
#include "training/profile/exchange_profile.hpp"

namespace paceline {

ExchangeProfile measure_exchange(int cores, Effort effort);

}  // namespace paceline
