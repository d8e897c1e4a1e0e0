// SPDX-License-Identifier: MIT
/// \file
/// The machine's own collective library: NCCL. A call starts when all ranks have come to it; after
/// its latency its bytes flow, all at once, over the links between the ranks, and the call ends
/// with the last of them. Latency, bytes and the multiprocessors that it takes from the GPUs'
/// arithmetic meanwhile: nccl/library_call.hpp.
#pragma once
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/devices/own_gpu.hpp"
#include "sim/devices/paths.hpp"
#include "sim/nccl/library_call.hpp"

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
  /// The cost of all calls of one kind and size.
  struct Cost {
    Seconds latency;
    double speed = 1;                                   ///< of the GPUs' arithmetic meanwhile
    std::vector<std::pair<const Path*, double>> flows;  ///< with bytes
  };
  struct Call {
    std::vector<OpIndex> ops;
    const Cost* cost = nullptr;
    std::size_t flows_left = 0;
  };
  const Cost& cost_of(const Command::Collective& collective);
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
  std::optional<LibraryModel> model_;  ///< once the ranks are known
  std::map<std::pair<Operation, double>, Cost> costs_;
  std::vector<Call> calls_;  ///< all, in their order
  std::uint64_t flows_ = 0;
};

}  // namespace paceline
