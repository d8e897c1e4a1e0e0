// SPDX-License-Identifier: MIT
/// \file
/// The launches of a range of layers as one CUDA graph, recorded when the range runs for the second
/// time.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

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

  /// Number of graphs recorded.
  std::size_t size() const { return graphs_; }

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy>;
  struct Known {
    bool plain = false;  ///< cannot be recorded
    Graph graph;
  };
  Graph record(const std::function<void()>& launch);

  cudaStream_t stream_;
  bool enabled_;
  std::size_t graphs_ = 0;
  std::map<std::array<int, 3>, Known> known_;  ///< by pass, first and last layer
};

}  // namespace paceline::cuda
