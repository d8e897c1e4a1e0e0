// SPDX-License-Identifier: MIT
/// \file
/// The cost of a call of the machine's collective library: a time before its bytes flow, the bytes
/// between ranks, and the multiprocessors that it keeps busy. Two models. `rings`: the stack's own
/// figures for launch, step and share of the links, for one ring or several. `nccl`: NCCL 2, which
/// chooses an algorithm and a protocol by size (tuner.hpp), with constants fitted for each kind of
/// interconnect (costs/nccl_constants.hpp).
#pragma once
#include <string>
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/nccl/rings.hpp"
#include "sim/nccl/tuner.hpp"

namespace paceline {

/// Bytes on the way from a rank to another, with all that the protocol adds.
struct LibraryFlow {
  int from = 0, to = 0;
  double bytes = 0;
};

struct LibraryCall {
  Seconds latency;
  std::vector<LibraryFlow> flows;
  Percent occupied{0};  ///< share of its speed that a GPU's arithmetic loses meanwhile
};

class LibraryModel {
 public:
  /// \param ranks the machine's vertex of every rank
  /// Machine and costs must outlive this.
  LibraryModel(const Machine& machine, std::vector<int> ranks, const Costs& costs);
  LibraryModel(const Machine& machine, std::vector<int> ranks, Costs&& costs) = delete;

  /// \param bytes the whole buffer of a rank
  LibraryCall call(Operation operation, double bytes) const;
  /// The algorithm and protocol of the model `nccl`.
  NcclChoice choice(Operation operation, double bytes) const;
  const NcclRings& rings() const { return rings_; }

 private:
  LibraryCall by_figures(Operation operation, double bytes) const;
  LibraryCall by_nccl(Operation operation, double bytes) const;
  void flow_along_rings(LibraryCall& call, Operation operation, double bytes_of_edge,
                        const NcclChoice* choice) const;
  void flow_along_trees(LibraryCall& call, double bytes, const NcclChoice& choice) const;
  void flow_between_pairs(LibraryCall& call, double bytes_of_pair, const NcclChoice* choice) const;
  void add(LibraryCall& call, int from, int to, double bytes, const NcclChoice* choice) const;
  double share_of_link(int from, int to, const NcclChoice* choice) const;
  Seconds latency(Operation operation, double bytes, const NcclChoice& choice) const;
  bool same_computer(int from, int to) const;
  int count() const { return static_cast<int>(ranks_.size()); }

  const Machine& machine_;
  std::vector<int> ranks_;
  const Costs& costs_;
  NcclRings rings_;
  NcclRanks seen_;  ///< as the tuner sees them
};

}  // namespace paceline
