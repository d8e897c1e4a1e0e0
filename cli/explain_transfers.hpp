// SPDX-License-Identifier: MIT
/// \file
/// The transfers of a step, their routes and bottlenecks, as a table: alike transfers are one row,
/// and the machine's own all-reduce shows the rings that it lays.
#pragma once
#include <string>

#include "training/setting.hpp"

namespace paceline {

std::string transfer_table(const Setting& setting);

}  // namespace paceline
