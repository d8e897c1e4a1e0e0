// SPDX-License-Identifier: MIT
/// \file
/// The algorithm and the protocol that NCCL 2 chooses for a call: the ones that its own model of
/// latency and bandwidth finds fastest, whether they are or not. Source of the model and all its
/// figures: NCCL 2.21 to 2.29, src/graph/tuning.cc.
#pragma once
#include <cstdint>

#include "training/runtime/operation.hpp"

namespace paceline {

enum class NcclAlgorithm : std::uint8_t { ring, tree, nvls, pairs };
enum class NcclProtocol : std::uint8_t { ll, ll128, simple };

struct NcclChoice {
  NcclAlgorithm algorithm = NcclAlgorithm::ring;
  NcclProtocol protocol = NcclProtocol::simple;
};

/// The ranks of a call as NCCL sees them.
struct NcclRanks {
  int ranks = 0;
  int computers = 1;
  double bandwidth = 0;  ///< of all rings together, GB/s, by NCCL's own figures for links
  int channels = 2;
  int generation = 0;     ///< NcclCosts::generation
  bool nvlink = false;    ///< within a computer
  bool ll128 = false;     ///< the protocol LL128 is offered
  bool nvswitch = false;  ///< a computer's GPUs are behind switches, which can sum and multicast
};

/// The bandwidth that NCCL counts for one NVLink of a generation, GB/s.
double nccl_nvlink_bandwidth(int generation);

/// \param bytes the whole buffer of a rank, as nccl-tests counts it
NcclChoice nccl_choice(const NcclRanks& ranks, Operation operation, double bytes);

}  // namespace paceline
