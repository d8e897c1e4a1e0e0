// SPDX-License-Identifier: MIT
/// \file
/// Tables of a point's step from its spans: how busy each stream is, which links block workers, and
/// the composition of an update's time.
#pragma once
#include <string>

#include "cli/text_table.hpp"
#include "training/experiment/setting.hpp"
#include "training/results/metrics/measurement.hpp"
#include "training/results/trace/span.hpp"

namespace paceline {

/// The busy share of each stream: the average over workers, and each of the first 8 servers. A last
/// line gives the number of further servers.
std::string busy_table(const Trace& trace, const Setting& setting,
                       TableStyle style = TableStyle::aligned);
/// The composition, per mini-batch, of the communication that blocks workers.
std::string exposed_table(const Trace& trace, const Setting& setting, const Measurement& predicted,
                          TableStyle style = TableStyle::aligned, std::size_t width = 80);
/// The critical paths of all updates, summed by activity: the mean per update.
std::string path_table(const Trace& trace, const Setting& setting,
                       TableStyle style = TableStyle::aligned, std::size_t width = 80);

}  // namespace paceline
