// SPDX-License-Identifier: MIT
/// \file
/// A division of workers into groups of any sizes, which may hold any workers: those of a computer,
/// however the computers' GPUs are numbered.
#pragma once
#include <memory>
#include <vector>

#include "training/runtime/command.hpp"

namespace paceline {

struct Plan;

/// Members of a group are in ascending order. Places count the members of group 0 first, then those
/// of group 1, and so on.
class Grouping {
 public:
  /// Groups of `size` consecutive workers; the last may have fewer.
  static Grouping consecutive(int workers, int size);
  /// The workers of each computer and process, in the order of the first of each.
  static Grouping by_host(const Plan& plan);
  /// `size` workers each, taken host by host; the last may have fewer.
  static Grouping by_host(const Plan& plan, int size);
  /// \param group_of by worker; groups are numbered by their first workers
  explicit Grouping(const std::vector<int>& group_of);

  int workers() const { return static_cast<int>(group_of_.size()); }
  int count() const { return static_cast<int>(begins_.size()) - 1; }
  int size_of(int group) const { return begin_of(group + 1) - begin_of(group); }
  int smallest() const { return smallest_; }
  int largest() const { return largest_; }
  int group_of(RoleId worker) const { return group_of_[static_cast<std::size_t>(worker)]; }
  /// The place of a group's first member.
  int begin_of(int group) const { return begins_[static_cast<std::size_t>(group)]; }
  RoleId worker_at(int place) const {
    return order_ ? (*order_)[static_cast<std::size_t>(place)] : place;
  }
  RoleId first_of(int group) const { return worker_at(begin_of(group)); }
  bool is_first(RoleId worker) const { return first_of(group_of(worker)) == worker; }
  /// Whether all groups have the same size.
  bool equal() const { return smallest_ == largest_; }
  /// The workers by place; null if worker r is at place r for each r.
  const std::shared_ptr<const std::vector<int>>& order() const { return order_; }

 private:
  void count_sizes();

  std::vector<int> group_of_;  ///< by worker
  std::vector<int> begins_;    ///< by group, and the end of the last
  std::shared_ptr<const std::vector<int>> order_;
  int smallest_ = 0, largest_ = 0;
};

}  // namespace paceline
