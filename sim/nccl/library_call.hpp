// SPDX-License-Identifier: MIT
/// \file
/// The cost of a call of the machine's collective library: a time before its bytes flow, the bytes
/// between ranks, and the multiprocessors that it keeps busy. Two models. `rings`: the stack's own
/// figures for launch, step and share of the links, for one ring or several. `nccl`: NCCL 2, which
/// chooses an algorithm and a protocol by size (tuner.hpp), with constants fitted for each kind of
/// interconnect (costs/nccl_constants.hpp).
#pragma once
#include <limits>
#include <map>
#include <vector>

#include "sim/costs/costs.hpp"
#include "sim/nccl/call_flows.hpp"
#include "sim/nccl/rings.hpp"
#include "sim/nccl/tuner.hpp"

namespace paceline {

struct LibraryCall {
  Seconds latency;
  std::vector<LibraryFlow> flows;
  Percent occupied{0};  ///< share of its speed that a GPU's arithmetic loses meanwhile
};

/// The link that a call waits for longest once its bytes flow.
struct LibraryBound {
  Seconds time;               ///< that all bytes take
  int link = -1;              ///< the fullest of the machine; -1: none
  bool one_transfer = false;  ///< not the link is full: a transfer across it gets no more
};

class LibraryModel {
 public:
  /// \param ranks the machine's vertex of every rank
  /// Machine and costs must outlive this.
  LibraryModel(const Machine& machine, std::vector<int> ranks, const Costs& costs);
  LibraryModel(const Machine& machine, std::vector<int> ranks, Costs&& costs) = delete;

  /// \param bytes the whole buffer of a rank
  LibraryCall call(Operation operation, double bytes) const;
  LibraryBound bound_of(const std::vector<LibraryFlow>& flows) const;
  /// The time of the call where nothing else uses its links.
  Seconds time_alone(Operation operation, double bytes) const;
  /// Of the model `nccl`: the algorithm and protocol, and the channels (thread blocks) of a GPU.
  NcclChoice choice(Operation operation, double bytes) const;
  int channels(double bytes) const;
  const NcclRings& rings() const { return rings_; }
  const NcclRanks& seen() const { return seen_; }

 private:
  /// Sizes up to `upto` have the same algorithm and protocol, and take `least` to `most`.
  struct Segment {
    NcclChoice choice;
    double upto = 0;
    Seconds least;
    Seconds most{std::numeric_limits<double>::infinity()};
  };

  LibraryCall by_figures(Operation operation, double bytes) const;
  LibraryCall by_nccl(Operation operation, double bytes) const;
  void see_ranks();
  void see_network();
  bool announced(double bytes, NcclChoice choice) const;
  std::vector<LibraryFlow> flows(Operation operation, double bytes, NcclChoice choice) const;
  Seconds latency(Operation operation, double bytes, NcclChoice choice) const;
  Seconds seconds_per_byte(Operation operation, NcclChoice choice) const;
  static void keep_within(const Segment& segment, Seconds of_bytes, LibraryCall& call);
  Route way(int from, int to) const;  ///< between two ranks
  int slowest_of(const Route& route) const;
  double share_of_switches() const;
  double share_of_link(const LibraryFlow& flow, NcclChoice choice) const;
  double staged_share(const LibraryFlow& flow) const;
  const std::vector<Segment>& segments(Operation operation) const;
  const Segment& segment_of(Operation operation, double bytes) const;
  int count() const { return static_cast<int>(ranks_.size()); }
  RankPlaces places() const { return {rings_, costs_.computers, count()}; }

  const Machine& machine_;
  std::vector<int> ranks_;
  const Costs& costs_;
  NcclRings rings_;
  NcclRanks seen_;  ///< as the tuner sees them
  Seconds wire_;    ///< latency of the links between two computers
  Bytes eager_;     ///< their LinkFigures::eager
  // worked out when first used
  mutable std::map<Operation, std::vector<Segment>> segments_;
  mutable std::map<std::pair<Operation, NcclChoice>, Seconds> per_byte_;
};

}  // namespace paceline
