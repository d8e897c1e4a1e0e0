// SPDX-License-Identifier: MIT
/// \file
/// Host memory as a resource of a computer: copies between GPUs without peer access share it.
/// Private to this folder.
#pragma once
#include <optional>

#include "topology/machine_spec.hpp"

namespace paceline {

/// The figures of one computer. Where its description says nothing, its GPUs' files say which of
/// them have peer access (the least of all models), and hosts/ what copies through host memory
/// share.
NodeSpec node_of(const MachineSpec& computer);

/// A link that every copy through the computer's memory crosses once. Nothing if all GPUs have peer
/// access. Each byte is written to memory and read again, so that half of the memory's bandwidth is
/// an upper bound.
std::optional<LinkTypeSpec> staging_link(const NodeSpec& computer);

}  // namespace paceline
