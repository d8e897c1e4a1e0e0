// SPDX-License-Identifier: MIT
/// \file
/// Positions a machine's vertices in a drawing and routes the connections between them. Sockets are
/// at the top, the devices below them form a tree, GPUs and network cards share the bottom row, and
/// vertices that connect these (NVSwitches, network switches) are below it. Private to this folder.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "topology/link_table.hpp"

namespace paceline {

/// In points; y grows upwards.
struct Point {
  double x = 0;
  double y = 0;
};

/// A connection as a cubic Bezier curve with the position of its label.
struct Curve {
  Connection connection;
  std::array<Point, 4> points;
  Point label;
};

struct Layout {
  static constexpr double kWidth = 116;  ///< of a vertex
  static constexpr double kHeight = 34;
  std::vector<Point> vertices;  ///< centres, by vertex
  std::vector<Curve> curves;
  double left = 0;
  double right = 0;
  double top = 0;
};

/// The layout of a machine. Requires a described machine.
Layout layout_of(const Machine& machine);

}  // namespace paceline
