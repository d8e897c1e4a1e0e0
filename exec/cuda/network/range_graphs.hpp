// SPDX-License-Identifier: MIT
/// \file
/// The launches of a range of layers as one: a CUDA graph, recorded when the range comes a second
/// time.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

#include "training/roles/command.hpp"

namespace paceline::cuda {

/// Of one stream. The first time a range runs as it is, as libraries may then set up what they
/// could not in a recording.
class RangeGraphs {
 public:
  /// Graphs kept; what comes after them runs launch by launch. Room for both passes of networks of
  /// hundreds of layers in steps of four, which is how far work that may be cancelled looks ahead;
  /// a graph takes some hundred KiB.
  static constexpr std::size_t kMost = 256;

  RangeGraphs(cudaStream_t stream, bool enabled) : stream_(stream), enabled_(enabled) {}

  /// Queues what `launch` queues on the stream. It must queue the same each time it is called for a
  /// range. A range that cannot be recorded runs launch by launch for good.
  void run(const LayerRange& range, const std::function<void()>& launch);

  /// Graphs recorded so far.
  std::size_t size() const { return graphs_; }

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, Destroy>;
  struct Known {
    bool plain = false;  ///< it stays launch by launch
    Graph graph;
  };
  Graph record(const std::function<void()>& launch);

  cudaStream_t stream_;
  bool enabled_;
  std::size_t graphs_ = 0;
  std::map<std::array<int, 3>, Known> known_;  ///< by pass, first and last layer
};

}  // namespace paceline::cuda
