// SPDX-License-Identifier: MIT
#include "sim/nccl/call_latency.hpp"

#include <algorithm>
#include <cmath>

namespace paceline {
namespace {

constexpr double kFewThreads = 1024;  // bytes of a rank's part, from which more threads work
constexpr double kDoublings = 3;      // until all threads of a channel do
// Fitted with costs/nccl/nvlink3.yaml and nvlink4.yaml together, on a grid of powers of two.
constexpr double kPairsFill = 262144;  // bytes, from which each doubling costs half a step
// NCCL's figure for a message over a network, by an Intel CPU: src/graph/tuning.cc
constexpr Seconds kMessage{1e-6};

class Latency {
 public:
  Latency(const NcclCosts& costs, const NcclPlaces& places, Operation operation, double bytes,
          NcclChoice choice)
      : costs_(costs),
        ranks_(places.ranks),
        wire_(places.wire),
        announced_(places.announced),
        choice_(choice),
        bytes_(bytes),
        simple_(choice.protocol == NcclProtocol::simple),
        steps_(nccl_ring_steps(operation, ranks_.ranks)),
        between_(ranks_.computers > 1) {}

  Seconds of(Seconds of_bytes) const {
    if (choice_.algorithm == NcclAlgorithm::pairs) return of_pairs();
    Seconds all = inside(steps_inside()) + filling(of_bytes);
    if (between_) all += hop() * hops();
    return all;
  }

 private:
  double alike() const { return static_cast<double>(ranks_.ranks) / ranks_.computers; }

  /// Steps between computers, one after the other.
  double hops() const {
    switch (choice_.algorithm) {
      case NcclAlgorithm::ring:
        return steps_ * static_cast<double>(ranks_.computers) / ranks_.ranks;
      case NcclAlgorithm::nvls:
      case NcclAlgorithm::collnet:
        return 2;  // up to the switches, and down
      default:
        return 2 * std::floor(std::log2(ranks_.computers));
    }
  }
  double steps_inside() const {
    switch (choice_.algorithm) {
      case NcclAlgorithm::ring:
        return steps_ - (between_ ? hops() : 0);
      case NcclAlgorithm::nvls:
      case NcclAlgorithm::nvls_tree:
        return alike();
      default:
        return 2 * (alike() - 1);
    }
  }

  Seconds inside(double steps) const {
    const NcclConstants& figures = costs_.inside;
    Seconds step = simple_ ? figures.simple_step : figures.step;
    if (between_ && choice_.algorithm == NcclAlgorithm::ring)
      step = std::max(step, kMessage * (simple_ ? 3.0 : 1.0));
    return ((simple_ ? figures.simple_start : figures.start) + step * steps) * slower();
  }

  /// All threads of a channel wait for each other.
  double slower() const {
    if (simple_) return 1;
    // a ring and pairs divide the bytes among ranks
    const bool whole =
        choice_.algorithm == NcclAlgorithm::tree || choice_.algorithm == NcclAlgorithm::collnet;
    const double part = whole ? bytes_ : bytes_ / ranks_.ranks;
    const double threads = std::clamp(std::log2(part / kFewThreads) / kDoublings, 0.0, 1.0);
    return std::pow(costs_.inside.full_channel, threads);
  }

  /// Simple waits for the message and for the card's flush of what it wrote.
  Seconds hop() const {
    const NcclNetworkConstants& net = costs_.between;
    const Seconds answer = announced_ ? wire_ : Seconds{};
    if (simple_) return net.simple_step + wire_ * 2.0 + answer;
    return (choice_.protocol == NcclProtocol::ll ? net.step : net.ll128_step) + wire_ + answer;
  }

  /// Chunks grow with a call up to a size. Before the first is summed, and between computers before
  /// the last has come down, other chunks wait.
  Seconds filling(Seconds of_bytes) const {
    const bool in_chain = choice_.algorithm == NcclAlgorithm::ring ||
                          (choice_.algorithm == NcclAlgorithm::tree && !between_);
    if (!simple_ || in_chain || bytes_ <= 0) return {};
    const double share = std::min(1.0, costs_.between.fill_bytes.value() / bytes_);
    return of_bytes * (costs_.between.fill * share * (between_ ? 2 : 1));
  }

  Seconds of_pairs() const {
    const NcclConstants& figures = costs_.inside;
    Seconds all = figures.pairs_start;
    if (simple_) {
      all += figures.simple_step * std::max(0.0, std::log2(bytes_ / kPairsFill) / 2);
    } else {
      all = (figures.start + figures.step * (1 + std::log2(ranks_.ranks))) * slower();
    }
    if (between_) all += hop() + kMessage * (ranks_.ranks - alike());
    return all;
  }

  const NcclCosts& costs_;
  const NcclRanks& ranks_;
  Seconds wire_;
  bool announced_;
  NcclChoice choice_;
  double bytes_;
  bool simple_;
  double steps_;  ///< of a ring
  bool between_;
};

}  // namespace

Seconds nccl_latency(const NcclCosts& costs, const NcclPlaces& places, Operation operation,
                     double bytes, NcclChoice choice, Seconds of_bytes) {
  return Latency(costs, places, operation, bytes, choice).of(of_bytes);
}

}  // namespace paceline
