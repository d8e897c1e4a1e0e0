// SPDX-License-Identifier: MIT
/// \file
/// The GPUs that a point's workers have on a described machine, what they lack, and which published
/// row says how fast the first of them is: the row of the point's keys.
#pragma once
#include <optional>
#include <string>

#include "training/experiment_file.hpp"

namespace paceline {

/// What the first worker computes on; null where no described machine says it.
const GpuSpec* first_gpu(const ExperimentPoint& point);

/// The one with the least memory of those in use. Requires first_gpu().
const GpuSpec& smallest_gpu(const ExperimentPoint& point);

/// "Tesla V100 SXM2 16 GB has no bf16 (it has fp32, fp16)", "" where each in use has it.
std::string lacking_precision(const ExperimentPoint& point);

/// A point's keys as written, and with their defaults where nothing is written.
Tree keys_with_defaults(const ExperimentPoint& point);

/// What the tables that come with the program say of the point's arithmetic.
std::optional<OneWorker> shipped_row_of(const ExperimentPoint& point);

}  // namespace paceline
