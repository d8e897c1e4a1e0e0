// SPDX-License-Identifier: MIT
/// \file
/// The transfers of a step with their routes and bottlenecks, as a table. Equal transfers share a
/// row. The rings of the machine's native all-reduce are listed.
#pragma once
#include <string>

#include "cli/text_table.hpp"
#include "sim/costs/prediction.hpp"

namespace paceline {

/// \param width columns of an aligned page
std::string transfer_table(const Prediction& setting, TableStyle style = TableStyle::aligned,
                           std::size_t width = 80);

}  // namespace paceline
