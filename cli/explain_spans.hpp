// SPDX-License-Identifier: MIT
/// \file
/// What the spans of a point say of its step, as tables: how busy each stream is, which links
/// workers stand still for, and what the time of an update consists of.
#pragma once
#include <string>

#include "training/metrics/measurement.hpp"
#include "training/setting.hpp"
#include "training/trace/span.hpp"

namespace paceline {

/// The busy share of each stream: of workers on average, and of each of the first 8 servers; how
/// many more there are is said below.
std::string busy_table(const Trace& trace, const Setting& setting);
/// What makes up the communication that workers stand still for, per mini-batch.
std::string exposed_table(const Trace& trace, const Setting& setting, const Measurement& predicted);
/// The critical path of all updates, summed by what it consists of: the mean of an update.
std::string path_table(const Trace& trace, const Setting& setting);

}  // namespace paceline
