// SPDX-License-Identifier: MIT
/// \file
/// The calls of NCCL in a step, and how the library carries them out.
#pragma once
#include <string>
#include <vector>

#include "cli/text_table.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

/// "tree LL128 16", the algorithm, the protocol and the channels, for each size in bytes of the
/// point's operation; empty where the machine is not described or the library is not NCCL.
std::vector<std::string> nccl_choices(const ExperimentPoint& point,
                                      const std::vector<double>& sizes);

/// A row for each size of call: algorithm, protocol, channels, time alone and what bounds it. ""
/// where no call is NCCL's.
std::string library_calls(const Prediction& setting, TableStyle style, std::size_t width);

}  // namespace paceline
