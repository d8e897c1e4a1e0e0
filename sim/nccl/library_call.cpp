// SPDX-License-Identifier: MIT
#include "sim/nccl/library_call.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "training/strategies/collectives/schedule.hpp"

namespace paceline {
namespace {

constexpr double kFewThreads = 1024;  // bytes of a rank's part, from which more threads work
constexpr double kDoublings = 3;      // until all threads of a channel do
constexpr double kLlData = 0.5;       // of the bytes of LL; the other half are flags
// Fitted with costs/nccl/nvlink3.yaml and nvlink4.yaml together, on a grid of powers of two.
constexpr double kPairsFill = 262144;      // bytes, from which each doubling costs half a step
constexpr double kBytesOfChannel = 16384;  // assumed: of a rank's part, for one more channel
constexpr int kMostChannels = 32;
// NCCL, src/graph/tuning.cc: 85 %, less one of eight channels that synchronises
constexpr double kNvlsEfficiency = 0.85 * 7 / 8;

int steps_of(Operation operation, int ranks) {
  return operation == Operation::all_reduce ? 2 * (ranks - 1) : ranks - 1;
}

/// Whether the bytes go once along the ring from a root, and not in P parts.
bool has_root(Operation operation) {
  return root_of(operation) >= 0;
}

}  // namespace

LibraryModel::LibraryModel(const Machine& machine, std::vector<int> ranks, const Costs& costs)
    : machine_(machine),
      ranks_(std::move(ranks)),
      costs_(costs),
      rings_(find_nccl_rings(
          machine, ranks_,
          costs.computers.empty()
              ? std::vector<int>{}
              : std::vector<int>(costs.computers.begin(), costs.computers.begin() + count()),
          costs.collective.rings)) {
  if (!costs.nccl) return;
  const NcclCosts& nccl = *costs.nccl;
  seen_.ranks = count();
  seen_.computers =
      static_cast<int>(std::set<int>(costs.computers.begin(), costs.computers.end()).size());
  seen_.computers = std::max(seen_.computers, 1);
  seen_.generation = nccl.generation;
  seen_.nvlink = nccl.nvlink;
  seen_.nvswitch = nccl.nvswitch;
  seen_.ll128 = nccl.ll128;
  seen_.bandwidth = rings_.bandwidth.value() / 1e9;
  seen_.channels = std::min<int>(kMostChannels, 2 * static_cast<int>(rings_.rings.size()));
  if (!nccl.nvlink || seen_.computers > 1) return;
  // NCCL counts its own figure for each link
  const double links = seen_.bandwidth / (nccl.link_bandwidth.value() / 1e9);
  seen_.bandwidth = links * nccl_nvlink_bandwidth(nccl.generation);
  seen_.channels = std::clamp(2 * static_cast<int>(std::lround(links)), 2, kMostChannels);
}

LibraryCall LibraryModel::call(Operation operation, double bytes) const {
  return costs_.nccl ? by_nccl(operation, bytes) : by_figures(operation, bytes);
}

NcclChoice LibraryModel::choice(Operation operation, double bytes) const {
  return nccl_choice(seen_, operation, bytes);
}

// ---- the stack's own figures

LibraryCall LibraryModel::by_figures(Operation operation, double bytes) const {
  const CollectiveCost& cost = costs_.collective;
  const int steps = steps_of(operation, count());
  LibraryCall call;
  call.latency = cost.launch + cost.step_latency * static_cast<double>(steps);
  call.occupied = cost.contention;
  const double part = bytes / count();
  if (operation == Operation::all_to_all) {
    flow_between_pairs(call, part, nullptr);
  } else {
    flow_along_rings(call, operation, has_root(operation) ? bytes : steps * part, nullptr);
  }
  return call;
}

// ---- NCCL 2

LibraryCall LibraryModel::by_nccl(Operation operation, double bytes) const {
  const NcclChoice chosen = choice(operation, bytes);
  const NcclConstants& inside = costs_.nccl->inside;
  const double part = bytes / count();
  const double last = chosen.protocol == NcclProtocol::simple ? inside.last_step : 1;
  LibraryCall call;
  call.latency = latency(operation, bytes, chosen);
  const int channels = static_cast<int>(std::clamp<double>(std::ceil(part / kBytesOfChannel), 1,
                                                           static_cast<double>(seen_.channels)));
  // a channel is a thread block, which has a multiprocessor to itself
  call.occupied = Percent{std::min(0.95, static_cast<double>(channels) / costs_.nccl->sms)};
  switch (chosen.algorithm) {
    case NcclAlgorithm::pairs:
      flow_between_pairs(call, part * (1 + inside.last_step / (count() - 1)), &chosen);
      break;
    case NcclAlgorithm::tree:
      flow_along_trees(call, bytes, chosen);
      break;
    case NcclAlgorithm::nvls:
      // a GPU sends all of its buffer to be summed, and its part of the sum
      flow_along_rings(call, operation, (bytes + part) / kNvlsEfficiency, &chosen);
      break;
    case NcclAlgorithm::ring:
      flow_along_rings(call, operation,
                       has_root(operation) ? bytes : (steps_of(operation, count()) + last) * part,
                       &chosen);
      break;
  }
  return call;
}

Seconds LibraryModel::latency(Operation operation, double bytes, const NcclChoice& choice) const {
  const NcclConstants& inside = costs_.nccl->inside;
  const bool simple = choice.protocol == NcclProtocol::simple;
  const Seconds start = simple ? inside.simple_start : inside.start;
  const Seconds step = simple ? inside.simple_step : inside.step;
  const double part = bytes / count();
  const double threads = std::clamp(std::log2(part / kFewThreads) / kDoublings, 0.0, 1.0);
  const double slower = simple ? 1 : std::pow(inside.full_channel, threads);
  if (choice.algorithm == NcclAlgorithm::pairs) {
    if (simple) {
      return inside.pairs_start + step * std::max(0.0, std::log2(bytes / kPairsFill) / 2);
    }
    return (start + step * (1 + std::log2(count()))) * slower;
  }
  double steps = steps_of(operation, count());
  double between = seen_.computers > 1 ? steps * seen_.computers / count() : 0;
  if (choice.algorithm == NcclAlgorithm::nvls) steps = count();
  if (choice.algorithm == NcclAlgorithm::tree) {
    between = 2 * std::floor(std::log2(seen_.computers));
    steps = 2.0 * (static_cast<double>(count()) / seen_.computers - 1) + between;
  }
  Seconds all = (start + step * (steps - between)) * slower;
  if (between > 0) {
    const NcclConstants& net = costs_.nccl->between;
    all += (simple ? net.simple_step : net.step) * between;
  }
  return all;
}

// ---- bytes between ranks

void LibraryModel::flow_along_rings(LibraryCall& call, Operation operation, double bytes_of_edge,
                                    const NcclChoice* choice) const {
  const double bytes = bytes_of_edge / static_cast<double>(rings_.rings.size());
  for (const std::vector<int>& ring : rings_.rings) {
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const int from = ring[i];
      const int to = ring[(i + 1) % ring.size()];
      // a broadcast ends before its root, a reduction begins after it
      if (operation == Operation::broadcast && to == 0) continue;
      if (operation == Operation::reduce && from == 0) continue;
      add(call, from, to, bytes, choice);
    }
  }
}

/// A chain within each computer, in the order of a ring, and two binary trees of computers, with
/// half of the bytes each. All bytes go up and down.
void LibraryModel::flow_along_trees(LibraryCall& call, double bytes,
                                    const NcclChoice& choice) const {
  const double share = bytes / static_cast<double>(rings_.rings.size());
  const auto both_ways = [&](int a, int b, double part) {
    add(call, a, b, part, &choice);
    add(call, b, a, part, &choice);
  };
  for (const std::vector<int>& ring : rings_.rings) {
    std::vector<int> heads;  // the first rank of each computer
    for (std::size_t i = 0; i < ring.size(); ++i) {
      if (i == 0 || !same_computer(ring[i - 1], ring[i])) {
        heads.push_back(ring[i]);
      } else {
        both_ways(ring[i - 1], ring[i], share);
      }
    }
    const auto computers = static_cast<int>(heads.size());
    for (int place = 0; place < computers; ++place) {
      for (const int parent : double_tree_parents(place, computers)) {
        if (parent < 0) continue;
        both_ways(heads[static_cast<std::size_t>(place)], heads[static_cast<std::size_t>(parent)],
                  share / 2);
      }
    }
  }
}

void LibraryModel::flow_between_pairs(LibraryCall& call, double bytes_of_pair,
                                      const NcclChoice* choice) const {
  for (int from = 0; from < count(); ++from) {
    for (int to = 0; to < count(); ++to) {
      if (from != to) add(call, from, to, bytes_of_pair, choice);
    }
  }
}

void LibraryModel::add(LibraryCall& call, int from, int to, double bytes,
                       const NcclChoice* choice) const {
  call.flows.push_back({from, to, bytes / share_of_link(from, to, choice)});
}

double LibraryModel::share_of_link(int from, int to, const NcclChoice* choice) const {
  if (choice == nullptr) {
    const bool staged =
        machine_.route(ranks_[static_cast<std::size_t>(from)], ranks_[static_cast<std::size_t>(to)])
            .staged;
    const CollectiveCost& cost = costs_.collective;
    return (staged ? cost.staged_efficiency : cost.efficiency).fraction;
  }
  const NcclCosts& nccl = *costs_.nccl;
  const NcclConstants& way = same_computer(from, to) ? nccl.inside : nccl.between;
  double share = way.efficiency.fraction;
  if (choice->protocol == NcclProtocol::ll) share *= kLlData;
  if (choice->protocol == NcclProtocol::ll128) share *= way.ll128.fraction;
  return share;
}

bool LibraryModel::same_computer(int from, int to) const {
  return costs_.computers.empty() || costs_.computers[static_cast<std::size_t>(from)] ==
                                         costs_.computers[static_cast<std::size_t>(to)];
}

}  // namespace paceline
