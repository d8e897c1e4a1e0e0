// SPDX-License-Identifier: MIT
/// \file
/// Pictures of a machine: a tree for terminals, and a graph for Graphviz.
#pragma once
#include <optional>
#include <string>

#include "topology/machine.hpp"

namespace paceline {

/// The machine as a tree from its sockets down, with the effective bandwidth of each link; links
/// beside the tree (NVLink, QPI) follow in groups. UTF-8, ends with a newline.
std::string to_text(const Machine& machine);

/// The machine as a Graphviz graph: sockets on top, GPUs in a row at the bottom, a colour for each
/// kind of link, bandwidths in GB/s.
std::string to_dot(const Machine& machine);

/// The DOT picture as SVG, made by the `dot` program; nothing where it is missing or fails.
std::optional<std::string> to_svg(const Machine& machine);

}  // namespace paceline
