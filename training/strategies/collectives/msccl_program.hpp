// SPDX-License-Identifier: MIT
/// \file
/// A collective as MSCCL's XML writes it (Cowan et al., ASPLOS 2023; microsoft/msccl-tools): for
/// each GPU thread blocks of send, receive, reduce and copy steps (thread_blocks.hpp).
#pragma once
#include <string>

#include "training/runtime/operation.hpp"
#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

struct MscclProgram {
  Operation operation = Operation::all_reduce;
  SharedSchedule schedule;
};

/// \param file for messages
/// Throws SpecError: not such a program, one that waits for itself, or one that does not do what it
/// says.
MscclProgram read_msccl_program(const std::string& file, const std::string& text);

}  // namespace paceline
