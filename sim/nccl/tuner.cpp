// SPDX-License-Identifier: MIT
#include "sim/nccl/tuner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace paceline {
namespace {

// Times in microseconds, rates in GB/s. Protocols in the order LL, LL128, Simple.
using ByProtocol = std::array<double, 3>;
constexpr ByProtocol kTreeStart{6.8, 14.0, 8.4}, kRingStart{6.6, 14.0, 8.4};
struct StepLatency {
  ByProtocol tree, ring;
};
constexpr StepLatency kOverNvlink{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}};
constexpr StepLatency kOverPcie{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}};
constexpr StepLatency kOverNetwork{{5.0, 8.5, 14.0}, {2.7, 4.0, 14.0}};
constexpr double kNvlsLatency = 25;
constexpr double kNvlsNetwork = 18, kNvlsTreeNetwork = 20.9, kCollnetNetwork = 31;
constexpr double kCollnetStep = 0.4;  // for each further GPU of a computer
constexpr double kPlateau = 1.4;      // of Simple rings between computers

// By generation of GPU, then for one, two and more computers.
using ByScale = std::array<double, 3>;
using ByGeneration = std::array<ByScale, 4>;
constexpr ByGeneration kMostLl{
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}}};
constexpr ByGeneration kMostRingLl128{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
constexpr ByGeneration kMostTreeLl128{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}};
constexpr ByGeneration kMostTree{
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
constexpr ByGeneration kMostNvlsTree{{{0, 0, 0}, {0, 0, 0}, {0.0, 57.7, 45.5}, {0.0, 96.0, 80.0}}};
constexpr std::array<double, 4> kNvlsEfficiency{0, 0, 0.85, 0.74};
constexpr double kCollnetEfficiency = 0.85;  // from sm90 on

/// The share that a tree reaches of its bandwidth, by the binary logarithm of the bytes / 64.
constexpr std::array<std::array<double, 23>, 3> kTreeCorrection{
    {{1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7, .7, .7, .6, .5,
      .4,  .4,  .5,  .6,  .7, .8, .9, 1., 1., 1., 1.},
     {1.0, 1.0, 1.0, 1.0, 1., .9, .8, .8, .8, .7, .6, .6,
      .6,  .6,  .6,  .6,  .8, .9, .9, .9, .9, 1., 1.},
     {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};

class Estimate {
 public:
  Estimate(const NcclRanks& ranks, Operation operation, double bytes)
      : ranks_(ranks),
        operation_(operation),
        bytes_(bytes),
        generation_(static_cast<std::size_t>(ranks.generation)),
        scale_(static_cast<std::size_t>(std::min(ranks.computers, 3) - 1)),
        alike_(static_cast<double>(ranks.ranks) / ranks.computers),
        levels_(std::floor(std::log2(ranks.computers))),
        inside_(ranks.nvlink ? kOverNvlink : kOverPcie) {}

  /// The estimated time in microseconds; infinite where the library does not offer it.
  double of(NcclChoice choice) const {
    if (!nccl_offers(ranks_, operation_, choice.algorithm)) return kNever;
    if (choice.protocol == NcclProtocol::ll128 && !ranks_.ll128) return kNever;
    const bool simple = choice.protocol == NcclProtocol::simple;
    switch (choice.algorithm) {
      case NcclAlgorithm::ring:
        return ring(choice.protocol);
      case NcclAlgorithm::tree:
        return tree(choice.protocol);
      case NcclAlgorithm::nvls:
        return simple ? nvls() : kNever;
      case NcclAlgorithm::nvls_tree:
        return simple ? nvls_tree() : kNever;
      case NcclAlgorithm::collnet:
        return simple ? collnet() : kNever;
      case NcclAlgorithm::pairs:
        return kNever;
    }
    return kNever;
  }

 private:
  static constexpr double kNever = 1e300;

  double time(double latency, double bandwidth) const { return latency + bytes_ / bandwidth / 1e3; }
  /// Of a step between computers; Simple waits for the message and for the card's flush.
  double hop(double figure, NcclProtocol protocol) const {
    return figure + ranks_.network_latency * (protocol == NcclProtocol::simple ? 2 : 1);
  }
  double inside() const { return ranks_.inside > 0 ? ranks_.inside : ranks_.bandwidth; }
  /// Trees on two computers use each card in both directions at once: the links inside bound them.
  double tree_bandwidth() const {
    if (ranks_.computers == 1) return inside();
    return ranks_.computers == 2 ? std::min(inside(), 2 * ranks_.bandwidth) : ranks_.bandwidth;
  }

  double ring(NcclProtocol protocol) const {
    const auto at = static_cast<std::size_t>(protocol);
    const int steps = nccl_ring_steps(operation_, ranks_.ranks);
    double bandwidth = ranks_.bandwidth;
    // half of the bytes of LL are flags
    if (protocol == NcclProtocol::ll) {
      bandwidth = std::min(bandwidth / 2, kMostLl[generation_][scale_]);
    } else if (protocol == NcclProtocol::ll128) {
      bandwidth = std::min(bandwidth * 0.92, ranks_.channels * kMostRingLl128[generation_][scale_]);
    }
    if (operation_ != Operation::broadcast && operation_ != Operation::reduce) {
      bandwidth *= static_cast<double>(ranks_.ranks) / steps;
    }
    double latency = kRingStart[at];
    const double between =
        ranks_.computers > 1 ? static_cast<double>(steps) * ranks_.computers / ranks_.ranks : 0;
    latency +=
        (steps - between) * inside_.ring[at] + between * hop(kOverNetwork.ring[at], protocol);
    if (protocol == NcclProtocol::simple && between > 0 && operation_ == Operation::all_reduce) {
      latency *= kPlateau;
    }
    return time(latency, bandwidth);
  }

  double tree(NcclProtocol protocol) const {
    const auto at = static_cast<std::size_t>(protocol);
    double bandwidth =
        std::min(tree_bandwidth() * 0.92, ranks_.channels * kMostTree[generation_][scale_]);
    if (protocol == NcclProtocol::ll) {
      bandwidth = std::min(bandwidth / 3.8, kMostLl[generation_][scale_]);
    } else if (protocol == NcclProtocol::ll128) {
      bandwidth = std::min(bandwidth * (ranks_.computers == 1 ? 7.0 / 9 : 120.0 / 128),
                           ranks_.channels * kMostTreeLl128[generation_][scale_]);
    }
    const auto size = static_cast<std::size_t>(std::max(1.0, bytes_ / 64));
    const auto doubled = static_cast<std::size_t>(std::bit_width(size) - 1);
    if (doubled < kTreeCorrection[at].size()) bandwidth *= kTreeCorrection[at][doubled];
    return time(kTreeStart[at] + 2 * ((std::floor(alike_) - 1) * inside_.tree[at] +
                                      levels_ * hop(kOverNetwork.tree[at], protocol)),
                bandwidth / 2);
  }

  double nvls() const {
    if (ranks_.computers > 1) {
      const double bandwidth = std::min(nvls_inside(), ranks_.bandwidth);
      return time(kNvlsLatency + hop(kNvlsNetwork, NcclProtocol::simple), bandwidth * of_parts());
    }
    const double others = static_cast<double>(ranks_.ranks - 1) / ranks_.ranks;
    return time(kNvlsLatency, ranks_.bandwidth * kNvlsEfficiency[generation_] * others);
  }

  double nvls_tree() const {
    const double bandwidth =
        std::min({nvls_inside(), ranks_.bandwidth * (ranks_.computers == 2 ? 2 : 1),
                  ranks_.channels * kMostNvlsTree[generation_][scale_]});
    return time(kNvlsLatency + 2 * levels_ * hop(kNvlsTreeNetwork, NcclProtocol::simple),
                bandwidth * of_parts());
  }

  double collnet() const {
    double bandwidth = std::min(inside(), 2 * ranks_.bandwidth) / 2;
    if (ranks_.generation >= 2) bandwidth *= kCollnetEfficiency;
    return time(2 * (inside_.tree[2] + (alike_ - 1) * kCollnetStep) +
                    hop(kCollnetNetwork, NcclProtocol::simple),
                bandwidth);
  }

  /// The switches of a computer sum and multicast with all links but one channel of those.
  double nvls_inside() const {
    return 2 * inside() * kNvlsEfficiency[generation_] * (ranks_.channels - 1) / ranks_.channels;
  }
  double of_parts() const {
    return static_cast<double>(ranks_.ranks) / nccl_ring_steps(operation_, ranks_.ranks);
  }

  const NcclRanks& ranks_;
  Operation operation_;
  double bytes_;
  std::size_t generation_, scale_;
  double alike_;   ///< ranks of a computer
  double levels_;  ///< of a binary tree of computers
  StepLatency inside_;
};

}  // namespace

int nccl_ring_steps(Operation operation, int ranks) {
  return operation == Operation::all_reduce ? 2 * (ranks - 1) : ranks - 1;
}

double nccl_nvlink_bandwidth(int generation) {
  static constexpr std::array<double, 4> kOfOneLink{20.0, 20.0, 20.6, 40.1};
  return kOfOneLink[static_cast<std::size_t>(generation)];
}

double nccl_nvls_share(int generation) {
  return kNvlsEfficiency[static_cast<std::size_t>(generation)];
}

bool nccl_offers(const NcclRanks& ranks, Operation operation, NcclAlgorithm algorithm) {
  if (algorithm == NcclAlgorithm::ring) return operation != Operation::all_to_all;
  if (operation != Operation::all_reduce) return false;
  const bool between = ranks.computers > 1;
  const bool sums = ranks.nvswitch && ranks.ranks > 2 * ranks.computers &&
                    kNvlsEfficiency[static_cast<std::size_t>(ranks.generation)] > 0;
  switch (algorithm) {
    case NcclAlgorithm::ring:
    case NcclAlgorithm::tree:
      return true;
    case NcclAlgorithm::nvls:
      return sums && (!between || ranks.sharp);
    case NcclAlgorithm::nvls_tree:
      return sums && between;
    case NcclAlgorithm::collnet:
      return between && ranks.sharp;
    case NcclAlgorithm::pairs:
      return false;
  }
  return false;
}

std::string_view nccl_needs(NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::nvls:
      return "three or more GPUs of Hopper or later behind the NVSwitches of one computer, or of "
             "several with `sharp: true`";
    case NcclAlgorithm::nvls_tree:
      return "several computers with three or more GPUs each, of Hopper or later behind NVSwitches";
    case NcclAlgorithm::collnet:
      return "several computers and a network with `sharp: true`";
    case NcclAlgorithm::ring:
    case NcclAlgorithm::tree:
    case NcclAlgorithm::pairs:
      return "two GPUs";
  }
  return "";
}

std::string_view name_of(NcclProtocol protocol) {
  constexpr std::array<std::string_view, 3> kNames{"LL", "LL128", "Simple"};
  return kNames[static_cast<std::size_t>(protocol)];
}

NcclChoice nccl_choice(const NcclRanks& ranks, Operation operation, double bytes,
                       std::optional<NcclAlgorithm> forced) {
  if (operation == Operation::all_to_all) {
    // NCCL sends to each peer by LL up to 16 KiB (NCCL_P2P_LL_THRESHOLD, src/enqueue.cc)
    constexpr double kMostByLl = 16384;
    return {NcclAlgorithm::pairs,
            bytes / ranks.ranks <= kMostByLl ? NcclProtocol::ll : NcclProtocol::simple};
  }
  if (forced && !nccl_offers(ranks, operation, *forced)) forced.reset();
  const Estimate estimate(ranks, operation, bytes);
  NcclChoice best{NcclAlgorithm::ring, NcclProtocol::ll};
  double least = std::numeric_limits<double>::infinity();
  for (const auto algorithm : {NcclAlgorithm::ring, NcclAlgorithm::tree, NcclAlgorithm::nvls,
                               NcclAlgorithm::nvls_tree, NcclAlgorithm::collnet}) {
    if (forced.value_or(algorithm) != algorithm) continue;
    for (const auto protocol : {NcclProtocol::ll, NcclProtocol::ll128, NcclProtocol::simple}) {
      const double time = estimate.of({algorithm, protocol});
      if (time < least) {
        least = time;
        best = {algorithm, protocol};
      }
    }
  }
  return best;
}

}  // namespace paceline
