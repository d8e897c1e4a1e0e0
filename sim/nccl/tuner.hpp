// SPDX-License-Identifier: MIT
/// \file
/// The algorithm and the protocol that NCCL 2 chooses for a call: the ones that its own model of
/// latency and bandwidth finds fastest, whether they are or not. Source of the model and all its
/// figures: NCCL 2.21 to 2.29, src/graph/tuning.cc and search.cc.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "training/runtime/operation.hpp"
#include "training/strategies/collectives/nccl_algorithm.hpp"

namespace paceline {

enum class NcclProtocol : std::uint8_t { ll, ll128, simple };
std::string_view name_of(NcclProtocol protocol);  ///< "LL", as NCCL prints it

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
  auto operator<=>(const NcclChoice&) const = default;
};

/// The ranks of a call as NCCL sees them.
struct NcclRanks {
  int ranks = 0;
  int computers = 1;
  double bandwidth = 0;        ///< of all rings together, GB/s, by NCCL's own figures for links
  double inside = 0;           ///< the same of a computer's own links; 0: `bandwidth`
  double network_latency = 0;  ///< that the network's plug-in states, us
  int channels = 2;
  int generation = 0;     ///< NcclCosts::generation
  bool nvlink = false;    ///< within a computer
  bool ll128 = false;     ///< the protocol LL128 is offered
  bool nvswitch = false;  ///< a computer's GPUs are behind switches, which can sum and multicast
  bool sharp = false;     ///< the network's switches sum
};

/// The bandwidth that NCCL counts for one NVLink of a generation, GB/s.
double nccl_nvlink_bandwidth(int generation);

/// The share of a GPU's NVLinks that switches which sum reach by NCCL's own figure; 0: none do.
double nccl_nvls_share(int generation);

/// Steps of a ring, one after the other: twice as many for an all-reduce.
int nccl_ring_steps(Operation operation, int ranks);

/// Whether NCCL has the algorithm for these ranks and this operation.
bool nccl_offers(const NcclRanks& ranks, Operation operation, NcclAlgorithm algorithm);
/// "several computers and a network with `sharp: true`": its condition for that.
std::string_view nccl_needs(NcclAlgorithm algorithm);

/// \param bytes  the whole buffer of a rank, as nccl-tests counts it
/// \param forced the only algorithm of an all-reduce, where it is offered
NcclChoice nccl_choice(const NcclRanks& ranks, Operation operation, double bytes,
                       std::optional<NcclAlgorithm> forced = std::nullopt);

}  // namespace paceline
