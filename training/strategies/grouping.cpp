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

/// The groups of workers by keys, numbered by their first workers.
/// \param key_of of a worker; keys have an order
template <class KeyOf>
std::vector<int> in_order_of_first(int workers, KeyOf key_of) {
  using Key = decltype(key_of(0));
  std::vector<Key> runs;  // workers of one key mostly follow each other
  std::vector<int> group_of;
  group_of.reserve(static_cast<std::size_t>(workers));
  for (int worker = 0; worker < workers; ++worker) {
    const Key key = key_of(worker);
    if (runs.empty() || runs.back() != key) runs.push_back(key);
    group_of.push_back(static_cast<int>(runs.size()) - 1);
  }
  if (std::ranges::adjacent_find(runs, std::ranges::greater_equal{}) == runs.end()) return group_of;
  std::map<Key, int> numbers;
  for (const Key& key : runs) numbers.try_emplace(key, static_cast<int>(numbers.size()));
  for (int& group : group_of) group = numbers.at(runs[static_cast<std::size_t>(group)]);
  return group_of;
}

}  // namespace

Grouping::Grouping(const std::vector<int>& group_of)
    : group_of_(in_order_of_first(static_cast<int>(group_of.size()), [&](int worker) {
        return group_of[static_cast<std::size_t>(worker)];
      })) {
  const int groups = group_of_.empty() ? 0 : std::ranges::max(group_of_) + 1;
  begins_.resize(static_cast<std::size_t>(groups) + 1);
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
  return Grouping(in_order_of_first(plan.workers, [&](RoleId worker) {
    return std::pair{plan.process_of(worker), plan.computer_of(worker)};
  }));
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
