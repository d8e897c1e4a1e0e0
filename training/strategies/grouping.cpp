// SPDX-License-Identifier: MIT
#include "training/strategies/grouping.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "training/strategies/plan.hpp"

namespace paceline {
namespace {

std::vector<int> runs_of(int workers, int size) {
  std::vector<int> group_of;
  group_of.reserve(static_cast<std::size_t>(workers));
  for (int worker = 0; worker < workers; ++worker) group_of.push_back(worker / size);
  return group_of;
}

}  // namespace

Grouping::Grouping(const std::vector<int>& group_of) {
  group_of_.reserve(group_of.size());
  std::map<int, int> numbers;
  for (std::size_t worker = 0; worker < group_of.size(); ++worker) {
    const bool as_before = worker > 0 && group_of[worker] == group_of[worker - 1];
    group_of_.push_back(
        as_before ? group_of_.back()
                  : numbers.try_emplace(group_of[worker], static_cast<int>(numbers.size()))
                        .first->second);
  }
  begins_.resize(numbers.size() + 1);
  for (const int group : group_of_) ++begins_[static_cast<std::size_t>(group) + 1];
  count_sizes();
  if (std::ranges::is_sorted(group_of_)) return;
  std::vector<int> next(begins_.begin(), begins_.end() - 1);
  std::vector<int> order(group_of_.size());
  for (RoleId worker = 0; worker < workers(); ++worker)
    order[static_cast<std::size_t>(next[static_cast<std::size_t>(this->group_of(worker))]++)] =
        worker;
  order_ = std::make_shared<const std::vector<int>>(std::move(order));
}

/// Turns the sizes of groups in begins_[1...] into the groups' begins.
void Grouping::count_sizes() {
  if (begins_.size() > 1) {
    const auto [least, most] = std::minmax_element(begins_.begin() + 1, begins_.end());
    smallest_ = *least;
    largest_ = *most;
  }
  for (std::size_t group = 1; group < begins_.size(); ++group) begins_[group] += begins_[group - 1];
}

Grouping Grouping::consecutive(int workers, int size) {
  return Grouping(runs_of(workers, size));
}

Grouping Grouping::by_host(const Plan& plan) {
  std::vector<int> host_of;
  host_of.reserve(static_cast<std::size_t>(plan.workers));
  std::map<std::pair<int, int>, int> hosts;
  std::pair<int, int> last{-1, -1};
  for (RoleId worker = 0; worker < plan.workers; ++worker) {
    const std::pair host{plan.process_of(worker), plan.computer_of(worker)};
    host_of.push_back(worker > 0 && host == last
                          ? host_of.back()
                          : hosts.try_emplace(host, static_cast<int>(hosts.size())).first->second);
    last = host;
  }
  return Grouping(host_of);
}

Grouping Grouping::by_host(const Plan& plan, int size) {
  const Grouping hosts = by_host(plan);
  const std::vector<int> by_place = runs_of(plan.workers, size);
  if (!hosts.order_) return Grouping(by_place);
  std::vector<int> group_of(by_place.size());
  for (int place = 0; place < plan.workers; ++place)
    group_of[static_cast<std::size_t>(hosts.worker_at(place))] =
        by_place[static_cast<std::size_t>(place)];
  return Grouping(group_of);
}

}  // namespace paceline
