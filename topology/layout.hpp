// SPDX-License-Identifier: MIT
/// \file
/// Where a drawing puts a machine's vertices and how its connections run between them. Sockets are
/// on top, what hangs below them follows as a tree, GPUs and network cards share the bottom row,
/// and what joins those (NVSwitches, network switches) is below. Private to this folder.
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

/// A connection as a cubic Bezier curve, and where its label stands.
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

/// Requires a described machine.
Layout layout_of(const Machine& machine);

}  // namespace paceline
