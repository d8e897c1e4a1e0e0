// SPDX-License-Identifier: MIT
#include "training/workload/worker_gpus.hpp"

#include <algorithm>
#include <numeric>

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

TypeInfo Value<WorkerGpus>::type() {
  TypeInfo info = Value<std::vector<int>>::type();
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
  if (!Value<std::vector<int>>::read(out.list, tree, diagnostics)) return false;
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
