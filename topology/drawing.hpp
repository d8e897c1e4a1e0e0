// SPDX-License-Identifier: MIT
/// \file
/// Draws a machine: as a tree for terminals, as a Graphviz graph and as SVG.
#pragma once
#include <optional>
#include <string>

#include "topology/machine.hpp"

namespace paceline {

/// The machine as a tree below its sockets, with the effective bandwidth of each link. Links
/// outside the tree (NVLink, QPI) follow in groups. UTF-8, ends with a newline.
std::string to_text(const Machine& machine);

/// The machine as a Graphviz graph: sockets at the top, GPUs in a row at the bottom, one colour per
/// kind of link, bandwidths in GB/s.
std::string to_dot(const Machine& machine);

/// The DOT graph as SVG, made by the `dot` program; nothing if the program is missing or fails.
std::optional<std::string> to_svg(const Machine& machine);

}  // namespace paceline
