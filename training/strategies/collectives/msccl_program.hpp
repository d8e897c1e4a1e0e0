// SPDX-License-Identifier: MIT
/// \file
/// An all-reduce as MSCCL's XML writes it (Cowan et al., ASPLOS 2023; microsoft/msccl-tools): for
/// each GPU thread blocks of send, receive and reduce steps. Read as a schedule with common steps:
/// each transfer gets the first step at which both sides have come to it and are free. A rank sends
/// to one rank at a time, so the channels of a program follow each other.
#pragma once
#include <string>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {

/// \param file for messages
/// Throws SpecError: not such a program; an operation other than all-reduce, or out of place; a
/// program that waits for itself, overwrites what is still read, or does not sum every part once.
SharedSchedule read_msccl_program(const std::string& file, const std::string& text);

}  // namespace paceline
