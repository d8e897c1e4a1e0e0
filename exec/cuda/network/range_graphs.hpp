// SPDX-License-Identifier: MIT
/// \file
/// The launches of a range of layers, or of both passes through it, as one CUDA graph, recorded
/// when the range runs for the second time.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "exec/cuda/runtime/stream.hpp"
#include "training/runtime/command.hpp"

namespace paceline::cuda {

/// For one stream. The first run of a range is not recorded, since libraries may initialise state
/// that a capture forbids.
class RangeGraphs {
 public:
  /// Maximum number of graphs; further ranges are launched directly. Enough for both passes in
  /// hundreds of buckets, or in the pieces of work that may be cancelled; a graph takes some
  /// hundred KiB.
  static constexpr std::size_t kMost = 256;

  RangeGraphs(cudaStream_t stream, bool enabled) : stream_(stream), enabled_(enabled) {}

  /// Queues the work of `launch` on the stream. `launch` must queue the same work each time for the
  /// same range. A range that cannot be recorded is always launched directly.
  void run(const LayerRange& range, const std::function<void()>& launch);

  /// The same of two passes through the layers of `range`, forward and then backward, with `border`
  /// recorded between them. In a graph it is an event node: `border` has been recorded once all of
  /// the graph has run, and may be another one each time; CUDA refuses that if the one before is
  /// no longer there.
  void run_both(const LayerRange& range, const std::function<void()>& forward,
                const std::function<void()>& backward, const DeviceEvent& border);

  /// Number of graphs recorded.
  std::size_t size() const { return graphs_; }

 private:
  struct Destroy {
    void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  using Recorded = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, Destroy>;
  using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy>;
  struct Known {
    bool plain = false;  ///< cannot be recorded
    Graph graph;
    Recorded recorded;                 ///< of which `border` is; null: it has none
    cudaGraphNode_t border = nullptr;  ///< the node that records an event
  };
  using Key = std::array<int, 3>;  ///< pass or kBoth, first and last layer
  static constexpr int kBoth = -1;

  void run(const Key& key, const std::function<void()>& launch, const DeviceEvent* border);
  bool record(Known& known, const std::function<void()>& launch, bool with_border);

  cudaStream_t stream_;
  bool enabled_;
  bool recording_ = false;
  std::size_t graphs_ = 0;
  std::map<Key, Known> known_;
};

}  // namespace paceline::cuda
