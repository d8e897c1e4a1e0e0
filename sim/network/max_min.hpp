// SPDX-License-Identifier: MIT
/// \file
/// Max-min fair sharing as a pure mathematical object, without any notion of time or networks.
/// Given
///
///     resources l  with capacity C_l > 0,
///     variables v  with weight n_v > 0 (n_v identical flows) and limit u_v > 0 (or infinity),
///     shares a_lv > 0 (none: v does not use l),
///
/// it finds the rates x_v of one flow of each variable such that
///
///     for all l:  sum over v of  n_v a_lv x_v  <=  C_l
///     for all v:                          x_v  <=  u_v
///
/// and no x_v can be raised without lowering another that is as small or smaller. Equivalently,
/// each v is at its limit or uses a saturated resource on which no flow is faster than it; this
/// makes the solution unique.
///
/// A worked example, the parking lot: two links A and B of 10 units/s; long uses both, a only A, b
/// only B, b limited to 2.
///
///     x_long + x_a <= 10
///     x_long + x_b <= 10
///              x_b <= 2
///
/// Raise all rates together. At 2, b is at its limit; at 5, A is full, so long and a stop. B keeps
/// 3 unused, because none of its flows can go faster. So x_b = 2, x_long = x_a = 5.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace paceline {

/// A system to fill in, solve, read and clear. It keeps its memory, so solving many systems needs
/// no allocation.
class MaxMin final {
 public:
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();

  struct Share {
    std::uint32_t resource = 0;
    double coefficient = 1.0;
  };

  void clear();

  /// Returns the resource's index, counting from 0.
  std::uint32_t add_resource(double capacity);

  /// Returns the variable's index, counting from 0. A resource appears at most once in `shares`.
  std::uint32_t add_variable(double weight, double limit, std::span<const Share> shares);

  /// Finds all rates, in O(shares log resources) where few resources fill up at different rates.
  void solve();

  /// The rate of one flow of the variable, after `solve`; infinite for a variable without limit and
  /// resources.
  double rate(std::uint32_t variable) const { return variables_[variable].rate; }

 private:
  struct Resource {
    double capacity = 0;
    double left = 0;         // capacity that fixed variables leave
    double load = 0;         // demand of the variables not yet fixed, at rate 1
    double summed = 0;       // the load when it was last summed from scratch
    std::uint32_t open = 0;  // variables not yet fixed
    std::uint32_t first_user = 0;
    std::uint32_t users = 0;
  };
  struct Variable {
    double weight = 1;
    double limit = kUnlimited;
    double rate = 0;
    std::uint32_t first_share = 0;
    std::uint32_t shares = 0;
    bool fixed = false;
  };
  struct User {
    std::uint32_t variable = 0;
    double demand = 0;  // weight * coefficient
  };
  // The rate at which a resource fills up, or a variable reaches its limit.
  struct Level {
    double rate = 0;
    std::uint32_t index = 0;
    bool is_resource = false;
  };
  static bool later(const Level& a, const Level& b);

  void list_users();
  void push_levels();
  void saturate(const Resource& resource, double rate);
  void fix(std::uint32_t variable, double rate);
  double level_of(Resource& resource) const;

  std::vector<Resource> resources_;
  std::vector<Variable> variables_;
  std::vector<Share> shares_;  // by variable
  std::vector<User> users_;    // by resource
  std::vector<Level> levels_;  // a heap, lowest first
};

}  // namespace paceline
