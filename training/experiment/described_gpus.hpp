// SPDX-License-Identifier: MIT
/// \file
/// The GPUs of a point's workers on a described machine, and their limits.
#pragma once
#include <optional>
#include <string>

#include "training/experiment/experiment_file.hpp"

namespace paceline {

/// The GPU of every worker, by number in the machine; fewer where the machine has too few.
std::vector<int> worker_gpus(const ExperimentPoint& point);

/// The GPU of the first worker; null if no described machine gives it.
const GpuSpec* first_gpu(const ExperimentPoint& point);

/// The GPU in use with the least memory. Requires first_gpu().
const GpuSpec& smallest_gpu(const ExperimentPoint& point);

/// "Tesla V100 SXM2 16 GB has no bf16 (it has fp32, fp16)"; "" if each GPU in use has it.
std::string lacking_precision(const ExperimentPoint& point);

/// The keys of a point as written, and the defaults of keys that are not written.
Tree keys_with_defaults(const ExperimentPoint& point);

}  // namespace paceline
