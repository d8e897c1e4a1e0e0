// SPDX-License-Identifier: MIT
#include "topology/layout.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace paceline {
namespace {

constexpr double kColumn = 130;
constexpr double kRow = 92;

class Arrangement final {
 public:
  explicit Arrangement(const Machine& machine)
      : machine_(machine), forest_(grow_forest(machine)), levels_(machine.vertices().size(), 0) {
    layout_.vertices.resize(machine.vertices().size());
    neighbours_.resize(machine.vertices().size());
  }
  Layout arrange();

 private:
  VertexKind kind(int v) const { return machine_.vertices()[static_cast<std::size_t>(v)].kind; }
  Point& at(int v) { return layout_.vertices[static_cast<std::size_t>(v)]; }
  int& level(int v) { return levels_[static_cast<std::size_t>(v)]; }
  /// True for vertices that connect those of the bottom row; they are drawn below it.
  bool joins(int v) const {
    return kind(v) == VertexKind::nvswitch || kind(v) == VertexKind::network_switch;
  }
  bool at_bottom(int v) const { return kind(v) == VertexKind::gpu || kind(v) == VertexKind::nic; }
  void place(int top, int depth);
  void place_joins(const std::vector<Connection>& all);
  void run(const std::vector<Connection>& all);
  Curve straight(const Connection& connection);
  Curve arc(const Connection& connection, double from_x, double to_x);
  double port(const Connection& connection, int end);

  const Machine& machine_;
  Forest forest_;
  std::vector<int> levels_;                   // row by vertex, from the top
  std::vector<std::vector<int>> neighbours_;  // by vertex, one for each connection
  Layout layout_;
  double next_column_ = 0;
  int deepest_ = 0;
};

/// Places a tree: leaves take columns from left to right; an inner vertex is centred above its
/// children.
void Arrangement::place(int top, int depth) {
  level(top) = depth;
  if (!joins(top)) deepest_ = std::max(deepest_, depth);
  double first = 0;
  double last = 0;
  bool any = false;
  for (const Connection& down : forest_.below[static_cast<std::size_t>(top)]) {
    if (joins(down.to)) continue;
    place(down.to, depth + 1);
    last = at(down.to).x;
    if (!any) first = last;
    any = true;
  }
  if (any) {
    at(top).x = (first + last) / 2;
  } else {
    at(top).x = next_column_;
    next_column_ += kColumn;
  }
}

/// Places connecting vertices in a row of their own, each near the centre of its neighbours and at
/// least one column apart.
void Arrangement::place_joins(const std::vector<Connection>& all) {
  std::vector<std::pair<double, int>> by_mean_x;
  for (int v = 0; v < static_cast<int>(layout_.vertices.size()); ++v) {
    if (!joins(v)) continue;
    double sum = 0;
    double count = 0;
    for (const Connection& connection : all) {
      if (connection.from != v && connection.to != v) continue;
      const int other = connection.from == v ? connection.to : connection.from;
      if (joins(other)) continue;
      sum += at(other).x;
      ++count;
    }
    by_mean_x.emplace_back(count > 0 ? sum / count : 0, v);
  }
  std::stable_sort(by_mean_x.begin(), by_mean_x.end());
  double middle = 0;
  for (const auto& [x, v] : by_mean_x) middle += x / static_cast<double>(by_mean_x.size());
  double x = middle - kColumn * (static_cast<double>(by_mean_x.size()) - 1) / 2;
  for (const auto& [mean_x, v] : by_mean_x) {
    at(v) = {x, -1.5 * kRow};
    x += kColumn;
  }
}

Curve Arrangement::straight(const Connection& connection) {
  Point a = at(connection.from);
  Point b = at(connection.to);
  if (std::fabs(a.y - b.y) < 1) {
    const double side = a.x < b.x ? Layout::kWidth / 2 : -Layout::kWidth / 2;
    a.x += side;
    b.x -= side;
  } else {
    const double side = a.y > b.y ? -Layout::kHeight / 2 : Layout::kHeight / 2;
    a.y += side;
    b.y -= side;
  }
  const auto between = [&](double t) {
    return Point{a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
  };
  return {connection, {a, between(1.0 / 3), between(2.0 / 3), b}, between(0.55)};
}

/// An arc below the bottom row or above the top row; wider arcs are deeper.
Curve Arrangement::arc(const Connection& connection, double from_x, double to_x) {
  const double side = at_bottom(connection.from) ? -1 : 1;
  const double y = at(connection.from).y + side * Layout::kHeight / 2;
  const double width = std::fabs(to_x - from_x);
  const double depth = 14 + 1.9 * std::pow(width, 0.72);
  const double lean = 0.12 * (to_x - from_x);
  const Point low{from_x + lean, y + side * depth};
  const Point high{to_x - lean, y + side * depth};
  return {connection,
          {Point{from_x, y}, low, high, Point{to_x, y}},
          {(from_x + to_x) / 2, y + side * 0.75 * depth}};
}

/// The x coordinate of an arc's end on a vertex, chosen so that arcs nest instead of crossing: arcs
/// to the left come first, the nearest first, then arcs to the right, the farthest first.
double Arrangement::port(const Connection& connection, int end) {
  const int other_end = connection.from == end ? connection.to : connection.from;
  const auto order = [&](int other) {
    const double away = at(other).x - at(end).x;
    return away < 0 ? std::pair<int, double>(0, -away) : std::pair<int, double>(1, -away);
  };
  int before = 0;
  int count = 0;
  for (const int other : neighbours_[static_cast<std::size_t>(end)]) {
    if (std::fabs(at(other).y - at(end).y) >= 1) continue;
    ++count;
    if (order(other) < order(other_end)) ++before;
  }
  const double spread = Layout::kWidth - 16;
  return at(end).x - spread / 2 + spread * (before + 1) / (count + 1);
}

void Arrangement::run(const std::vector<Connection>& all) {
  for (const Connection& connection : all) {
    neighbours_[static_cast<std::size_t>(connection.from)].push_back(connection.to);
    neighbours_[static_cast<std::size_t>(connection.to)].push_back(connection.from);
  }
  for (const Connection& connection : all) {
    const Point a = at(connection.from);
    const Point b = at(connection.to);
    const bool same_row = std::fabs(a.y - b.y) < 1;
    const bool bottom = at_bottom(connection.from) && at_bottom(connection.to);
    const bool sockets =
        kind(connection.from) == VertexKind::cpu && kind(connection.to) == VertexKind::cpu;
    const auto is_socket_between = [&](const Point& p) {
      return std::fabs(p.y - a.y) < 1 && p.x > std::min(a.x, b.x) && p.x < std::max(a.x, b.x);
    };
    const bool blocked =
        sockets && std::any_of(layout_.vertices.begin(), layout_.vertices.end(), is_socket_between);
    if (same_row && (bottom || blocked)) {
      layout_.curves.push_back(
          arc(connection, port(connection, connection.from), port(connection, connection.to)));
    } else {
      layout_.curves.push_back(straight(connection));
    }
  }
}

Layout Arrangement::arrange() {
  const std::vector<Connection> all = connections_of(machine_);
  const int count = static_cast<int>(layout_.vertices.size());
  for (int v = 0; v < count; ++v) {
    if (kind(v) == VertexKind::cpu) place(v, 0);
  }
  for (int v = 0; v < count; ++v) {
    at(v).y = at_bottom(v) ? 0 : kRow * (deepest_ - level(v));
  }
  place_joins(all);
  run(all);
  for (const Point& p : layout_.vertices) {
    layout_.left = std::min(layout_.left, p.x - Layout::kWidth / 2);
    layout_.right = std::max(layout_.right, p.x + Layout::kWidth / 2);
    layout_.top = std::max(layout_.top, p.y + Layout::kHeight / 2);
  }
  for (const Curve& curve : layout_.curves) {
    for (const Point& p : curve.points) layout_.top = std::max(layout_.top, p.y);
  }
  return layout_;
}

}  // namespace

Layout layout_of(const Machine& machine) {
  return Arrangement(machine).arrange();
}

}  // namespace paceline
