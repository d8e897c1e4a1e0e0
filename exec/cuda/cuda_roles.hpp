// SPDX-License-Identifier: MIT
/// \file
/// The roles of one of several processes on its GPUs.
#pragma once
#include <filesystem>
#include <string>

#include "exec/cuda/cuda_execution.hpp"
#include "exec/plugin/accelerator.hpp"
#include "exec/processes/own_roles.hpp"

namespace paceline::cuda {

/// The GPUs of this process's workers: workers of a computer have its GPUs in order. Where a
/// process sees fewer GPUs than the processes of its computer need, its launcher has given it some
/// of its own, and its workers have these. Empty if there are too few.
std::vector<int> gpus_of(const Plan& plan, const Group& group, const AcceleratorFacts& facts);

/// "", or the reason why this process of the group cannot run its part of the point.
std::string not_executable_in(const Group& group, const ExperimentPoint& point,
                              const AcceleratorFacts& facts);

/// Chosen algorithms are kept in the folder `cache`. `clocks`, which may be null, reads only while
/// roles run. The meet() of the roles throws if two processes have the same GPU.
MakeOwnRoles own_roles_on_gpus(const AcceleratorFacts& facts, const std::filesystem::path& cache,
                               ClockWatch* clocks = nullptr);

}  // namespace paceline::cuda
