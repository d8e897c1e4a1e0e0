// SPDX-License-Identifier: MIT
/// \file
/// The machine's own collective library: NCCL. A call starts when all ranks have come to it; after
/// its latency its bytes flow, all at once, over the links between the ranks, and the call ends
/// with the last of them. It takes multiprocessors from the GPUs' arithmetic meanwhile.
#pragma once
#include <vector>

#include "sim/devices/library_costs.hpp"
#include "sim/devices/own_gpu.hpp"

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
    const LibraryCost* cost = nullptr;
    std::size_t flows_left = 0;
  };
  void finish(std::uint32_t call);
  void set_speed(double speed) {
    if (gpus_ != nullptr) gpus_->set_speed(speed);
  }

  DeviceContext context_;
  DeviceListener& listener_;
  OwnGpu* gpus_;
  LibraryCosts costs_;
  std::vector<Call> calls_;  ///< all, in their order
  std::uint64_t flows_ = 0;
};

}  // namespace paceline
