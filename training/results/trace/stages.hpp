// SPDX-License-Identifier: MIT
/// \file
/// The stages of a synchronous step, as profiles of frameworks give them: each from the first begin
/// to the last end of its work on any worker or server. Stages overlap, so their sum is longer than
/// the step.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "experiments/language/units.hpp"
#include "training/results/trace/span.hpp"

namespace paceline {

/// The stages that are known: computation (forward and backward), merge (sums of gradients) and
/// update (of the weights).
bool is_stage(std::string_view name);
/// Their names, for errors: "computation, merge, update"
std::string stage_names();

/// The mean time of each stage over the updates that lie within the trace; a stage without work,
/// such as the merge of one worker's gradients, is absent.
std::map<std::string, Seconds> stages_of(const Trace& trace);

/// The share of each stage in the sum of all.
std::map<std::string, double> shares_of(const std::map<std::string, Seconds>& stages);

}  // namespace paceline
