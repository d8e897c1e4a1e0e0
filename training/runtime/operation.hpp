// SPDX-License-Identifier: MIT
/// \file
/// The collective operations of message passing.
#pragma once
#include <cstdint>
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {

enum class Operation : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  broadcast,
  reduce,
  all_to_all
};
std::span<const EnumName<Operation>> enum_names(const Operation*);

/// Whether it adds up what the ranks have.
bool sums(Operation operation);
/// The rank that it begins or ends at; -1: at all.
int root_of(Operation operation);

/// Bus bandwidth / (bytes / time): the share of the bytes that any algorithm must move over each
/// rank's link. Source: nccl-tests, doc/PERFORMANCE.md.
double bus_factor(Operation operation, int ranks);

}  // namespace paceline
