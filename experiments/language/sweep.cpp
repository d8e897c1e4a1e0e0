// SPDX-License-Identifier: MIT
// A document is the product of its axes: swept lists and `zip`. Sweeps nested in a choice of an
// axis are expanded first, so that all choices are free of sweeps. The size of the result is
// computed before any copy, so that a hostile file costs no more than its own size.
#include "experiments/language/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "experiments/language/axes.hpp"
#include "experiments/language/counted.hpp"
#include "experiments/language/other_words.hpp"
#include "experiments/language/zip.hpp"

namespace paceline {
namespace {

constexpr double kMaxWeight = 5e6;  // total weight of all points, about 1 GB

/// One value of an axis and its columns in the results table.
struct AxisChoice {
  Tree tree;
  std::vector<SweptKey> swept;
};

/// The number of points and their total weight; doubles, since the counts of a hostile file
/// overflow integers.
struct Extent {
  double points = 1;
  double weight = 0;
};

/// The size of the cross product of `axes` over `node`. Also notes the errors nested in choices.
Extent measure(const Tree& node, const std::vector<Axis>& axes, Diagnostics& diagnostics) {
  Extent all{1, static_cast<double>(weight(node))};
  std::vector<Extent> each;
  for (const Axis& axis : axes) {
    all.weight += 1 + static_cast<double>(axis.path.size()) / 32;
    all.weight -= static_cast<double>(weight(*axis.node));
    Extent sum{0, 0};
    for (const Tree& choice : axis.node->items) {
      const std::vector<Axis> inner = find_axes(choice, known_type(axis), false, diagnostics);
      const Extent one = measure(choice, inner, diagnostics);
      sum.points += one.points;
      sum.weight += one.weight;
    }
    all.points *= std::max(sum.points, 1.0);
    each.push_back(sum);
  }
  all.weight *= all.points;
  for (const Extent& sum : each) {
    all.weight += all.points / std::max(sum.points, 1.0) * sum.weight;
  }
  return all;
}

/// Calls `visit` with every combination of positions below `sizes`; the first position varies
/// slowest.
template <class Visit>
void for_each_combination(const std::vector<std::size_t>& sizes, Visit visit) {
  std::vector<std::size_t> at(sizes.size(), 0);
  for (;;) {
    visit(at);
    std::size_t axis = sizes.size();
    while (axis > 0 && ++at[axis - 1] == sizes[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

std::vector<PointTree> combine(const Tree& node, const std::vector<Axis>& axes);

std::vector<AxisChoice> choices_of(const Axis& axis) {
  std::vector<AxisChoice> choices;
  std::vector<KeyPath> paths;
  if (axis.zip) paths = zip_paths(*axis.node);
  Diagnostics none;  // measure() has noted all errors
  for (const Tree& item : axis.node->items) {
    for (PointTree& point : combine(item, find_axes(item, known_type(axis), false, none))) {
      AxisChoice choice{std::move(point.tree), {}};
      if (!axis.zip) choice.swept.push_back({axis.path, to_flow(choice.tree)});
      for (const KeyPath& path : paths) {
        const Tree* value = &choice.tree;
        for (const std::string& key : path) value = value->find(key);
        choice.swept.push_back({to_string(path), to_flow(*value)});
      }
      choices.push_back(std::move(choice));
    }
  }
  return choices;
}

std::vector<PointTree> combine(const Tree& node, const std::vector<Axis>& axes) {
  Tree bare = node;
  std::vector<std::vector<AxisChoice>> choices;
  std::vector<std::size_t> sizes;
  for (const Axis& axis : axes) {
    node_at(bare, axis.steps) = Tree{};
    choices.push_back(choices_of(axis));
    sizes.push_back(choices.back().size());
  }
  std::vector<PointTree> points;
  for_each_combination(sizes, [&](const std::vector<std::size_t>& at) {
    PointTree point{bare, {}};
    const AxisChoice* row = nullptr;  // merged last, because new members would invalidate the steps
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const AxisChoice& choice = choices[i][at[i]];
      if (axes[i].zip) {
        row = &choice;
      } else {
        node_at(point.tree, axes[i].steps) = choice.tree;
      }
      point.swept.insert(point.swept.end(), choice.swept.begin(), choice.swept.end());
    }
    if (row != nullptr) {
      std::erase_if(point.tree.members, [](const Member& member) { return member.key == "zip"; });
      merge(point.tree, row->tree);
    }
    points.push_back(std::move(point));
  });
  return points;
}

/// Notes keys that are both swept and in `zip`; merging would silently drop the sweep.
void check_overlap(const std::vector<Axis>& axes, Diagnostics& diagnostics) {
  const auto zip =
      std::find_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.zip; });
  if (zip == axes.end() || zip->node->items.empty()) return;
  for (const KeyPath& row_path : zip_paths(*zip->node)) {
    const std::string set = to_string(row_path) + ".";
    for (const Axis& axis : axes) {
      const std::string swept = axis.path + ".";
      if (axis.zip || (!swept.starts_with(set) && !set.starts_with(swept))) continue;
      diagnostics.error(
          axis.node->at,
          "'" + axis.path + "' is swept here and set in 'zip' (write it in one of the two)");
    }
  }
}

/// Notes values that occur twice in a sweep, in one line for each sweep: a typing error, or several
/// machines meant as a cluster.
void check_repeats(const std::vector<Axis>& axes, Diagnostics& diagnostics) {
  for (const Axis& axis : axes) {
    std::set<std::string> seen;
    const Tree* first = nullptr;
    std::set<std::string> repeated;
    for (const Tree& item : axis.node->items) {
      if (axis.zip || !item.is_scalar() || seen.insert(to_flow(item)).second) continue;
      if (first == nullptr) first = &item;
      repeated.insert(to_flow(item));
    }
    if (first == nullptr) continue;
    const std::size_t others = repeated.size() - 1;
    const std::string more = others > 0 ? ", and " + counted(others, "other value") + " too" : "";
    const std::string hint = axis.path == "machine" ? "; " + instead_of("key", "cluster") : "";
    diagnostics.error(first->at, "the sweep of '" + axis.path + "' has " + quote(*first) +
                                     " twice" + more + " (a list gives one point per value" + hint +
                                     ")");
  }
}

struct Plan {
  std::vector<Axis> axes;
  Extent extent;
};

Plan plan(const Tree& root, const ListKeys& lists) {
  Plan plan;
  if (!root.is_map()) return plan;
  TypeInfo type;
  type.fields = [keys = lists.keys()] { return keys; };
  Diagnostics diagnostics;
  plan.axes = find_axes(root, &type, true, diagnostics);
  check_overlap(plan.axes, diagnostics);
  check_repeats(plan.axes, diagnostics);
  plan.extent = measure(root, plan.axes, diagnostics);
  diagnostics.throw_if_any();
  return plan;
}

std::string print_count(double count) {
  if (count > 1e15) return "more than 10^15";
  return std::to_string(std::llround(count));
}

}  // namespace

std::vector<PointTree> expand(const Tree& root, const ListKeys& lists) {
  const Plan planned = plan(root, lists);
  if (planned.extent.points > static_cast<double>(kMaxPoints)) {
    throw SpecError(root.at, "the sweep has " + print_count(planned.extent.points) +
                                 " points (at most " + std::to_string(kMaxPoints) + ")");
  }
  if (planned.extent.weight > kMaxWeight) {
    throw SpecError(root.at, "the sweep has " + print_count(planned.extent.points) + " points of " +
                                 print_count(planned.extent.weight / planned.extent.points) +
                                 " values (at most " + print_count(kMaxWeight) + " values in all)");
  }
  return combine(root, planned.axes);
}

std::uint64_t count_points(const Tree& root, const ListKeys& lists) {
  const double points = plan(root, lists).extent.points;
  constexpr double kMost = 9223372036854775808.0;
  return points < kMost ? static_cast<std::uint64_t>(points) : std::uint64_t{1} << 63;
}

}  // namespace paceline
