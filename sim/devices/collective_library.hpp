// SPDX-License-Identifier: MIT
/// \file
/// The machine's own all-reduce library: NCCL. A call starts when all ranks have come to it; after
/// `launch` and `step_latency` for each of the ring's 2(P-1) steps, its bytes flow along rings over
/// the fastest links (nccl_rings.hpp), 2(P-1)/P of the buffer over every edge of a ring, at the
/// library's share of a link's bandwidth. Meanwhile it takes `contention` of the speed of the GPUs'
/// arithmetic.
#pragma once
#include <vector>

#include "sim/devices/nccl_rings.hpp"
#include "sim/devices/own_gpu.hpp"
#include "sim/devices/paths.hpp"

namespace paceline {

class CollectiveLibrary {
 public:
  // The payload of a flow below this is an operation; from it on, a call.
  static constexpr std::uint32_t kFirstFlow = 0x80000000;

  /// `vertices`: the machine's, of every role. `gpus`: those that a call slows down; null:
  /// none. All references must outlive this.
  CollectiveLibrary(const Machine& machine, const std::vector<int>& vertices,
                    const DeviceContext& context, DeviceListener& listener, Paths& paths,
                    OwnGpu* gpus);

  /// Launches a call, the all-reduce of `ops`, one of each rank.
  void launch(std::vector<OpIndex> ops, const Command::Collective& collective);
  /// The launch of a call is over.
  void start(std::uint32_t call);
  /// A flow of a call has ended.
  void note_flow_end(std::uint32_t payload);
  std::uint64_t flows() const { return flows_; }

 private:
  struct Call {
    std::vector<OpIndex> ops;
    int flows_left = 0;
    double bytes = 0;
  };
  void lay_rings(int ranks);
  void finish(std::uint32_t call);
  void set_speed(double speed) {
    if (gpus_ != nullptr) gpus_->set_speed(speed);
  }

  const Machine& machine_;
  const std::vector<int>& vertices_;
  DeviceContext context_;
  DeviceListener& listener_;
  Paths& paths_;
  OwnGpu* gpus_;
  NcclRings rings_;
  std::vector<const Path*> edges_;
  std::vector<Call> calls_;  ///< all, in their order
  std::uint64_t flows_ = 0;
};

}  // namespace paceline
