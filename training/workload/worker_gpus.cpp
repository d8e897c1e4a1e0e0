// SPDX-License-Identifier: MIT
#include "training/workload/worker_gpus.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <numeric>
#include <string_view>

#include "experiments/language/containers.hpp"

namespace paceline {
namespace {

constexpr const char* kInOrder = "in-order";
constexpr const char* kByRound = "by-round";

/// The first GPU of every computer, then the second of every computer, and so on.
std::vector<int> by_round(const Machine& machine) {
  std::vector<int> seen(static_cast<std::size_t>(machine.computers()), 0);
  std::vector<int> round_of;
  for (int gpu = 0; gpu < machine.gpu_count(); ++gpu) {
    round_of.push_back(seen[static_cast<std::size_t>(machine.computer_of(gpu))]++);
  }
  std::vector<int> gpus(round_of.size());
  std::iota(gpus.begin(), gpus.end(), 0);
  std::stable_sort(gpus.begin(), gpus.end(), [&](int a, int b) {
    return round_of[static_cast<std::size_t>(a)] < round_of[static_cast<std::size_t>(b)];
  });
  return gpus;
}

}  // namespace

std::vector<int> WorkerGpus::of(int workers, const Machine* machine) const {
  std::vector<int> gpus(static_cast<std::size_t>(workers));
  std::iota(gpus.begin(), gpus.end(), 0);
  if (order == Order::listed) gpus = list;
  const bool cluster = machine != nullptr && machine->computers() > 1;
  if (order == Order::by_round && cluster) gpus = by_round(*machine);
  gpus.resize(std::min(gpus.size(), static_cast<std::size_t>(workers)));
  return gpus;
}

namespace {

/// The list with each range "0..7" written out.
Tree without_ranges(const Tree& tree) {
  constexpr int kMostGpus = 1 << 20;
  if (!tree.is_list()) return tree;
  Tree list = Tree::list({}, tree.at);
  for (const Tree& item : tree.items) {
    const std::size_t dots = item.is_scalar() ? item.text.find("..") : std::string::npos;
    const auto end = [&](std::string_view digits) {
      int number = -1;
      const auto [rest, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      return error == std::errc{} && rest == digits.data() + digits.size() ? number : -1;
    };
    const std::string_view text(item.text);
    const int first = dots == std::string::npos ? -1 : end(text.substr(0, dots));
    const int last = dots == std::string::npos ? -1 : end(text.substr(dots + 2));
    if (first < 0 || last < first || last >= kMostGpus) {
      list.items.push_back(item);
      continue;
    }
    for (int gpu = first; gpu <= last; ++gpu)
      list.items.push_back(Tree::scalar(std::to_string(gpu), item.at));
  }
  return list;
}

}  // namespace

TypeInfo Value<WorkerGpus>::type() {
  TypeInfo info = Value<std::vector<int>>::type();
  info.choices = {kInOrder, kByRound};  // of the whole list: several of them are a sweep
  TypeInfo item;
  item.name = "number or range (0..7)";
  info.name = "list of numbers or ranges (0..7)";
  info.element = std::make_shared<const TypeInfo>(item);
  info.also = "in-order, or by-round (a GPU of each computer in turn)";
  return info;
}

bool Value<WorkerGpus>::read(WorkerGpus& out, const Tree& tree, Diagnostics& diagnostics) {
  out.at = tree.at;
  if (tree.is_scalar() && tree.text == kInOrder) {
    out.order = WorkerGpus::Order::in_order;
    return true;
  }
  if (tree.is_scalar() && tree.text == kByRound) {
    out.order = WorkerGpus::Order::by_round;
    return true;
  }
  out.order = WorkerGpus::Order::listed;
  if (!Value<std::vector<int>>::read(out.list, without_ranges(tree), diagnostics)) return false;
  std::vector<int> sorted = out.list;
  std::sort(sorted.begin(), sorted.end());
  const bool twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  if (sorted.empty() || sorted.front() < 0 || twice) {
    diagnostics.error(tree.at, "'gpus' lists different GPUs, counted from 0");
    return false;
  }
  return true;
}

Tree Value<WorkerGpus>::write(const WorkerGpus& value) {
  if (value.order == WorkerGpus::Order::listed) return Value<std::vector<int>>::write(value.list);
  return Tree::scalar(value.order == WorkerGpus::Order::by_round ? kByRound : kInOrder);
}

}  // namespace paceline
