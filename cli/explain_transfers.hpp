// SPDX-License-Identifier: MIT
/// \file
/// The transfers of a step with their routes and bottlenecks, as a table. Equal transfers share a
/// row. The rings of the machine's native all-reduce are listed.
#pragma once
#include <string>

#include "cli/text_table.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

std::string transfer_table(const Prediction& setting, TableStyle style = TableStyle::aligned);

}  // namespace paceline
