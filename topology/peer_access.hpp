// SPDX-License-Identifier: MIT
/// \file
/// Which GPUs of a computer copy to each other without host memory in between.
#pragma once
#include <span>

#include "experiments/language/value.hpp"

namespace paceline {

/// The pairs of GPUs that copy to each other directly; the others copy through host memory. Each
/// has fewer pairs than the one before.
enum class PeerAccess { all, same_socket, same_switch, nvlink, none };
std::span<const EnumName<PeerAccess>> enum_names(const PeerAccess*);

}  // namespace paceline
