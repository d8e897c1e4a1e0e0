// SPDX-License-Identifier: MIT
#include "exec/cuda/network/range_graphs.hpp"

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {

void RangeGraphs::run(const LayerRange& range, const std::function<void()>& launch) {
  if (!enabled_) return launch();
  const auto [at, first_time] =
      known_.try_emplace({static_cast<int>(range.pass), range.first, range.last});
  Known& known = at->second;
  if (first_time || known.plain) return launch();
  if (known.graph == nullptr) {
    if (graphs_ < kMost) known.graph = record(launch);
    if (known.graph == nullptr) {
      known.plain = true;
      return launch();
    }
    ++graphs_;
  }
  check(cudaGraphLaunch(known.graph.get(), stream_), "launching layers");
}

/// Records `launch`; null if it cannot be captured.
RangeGraphs::Graph RangeGraphs::record(const std::function<void()>& launch) {
  // thread-local mode: other threads may allocate during the capture
  if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  bool launched = true;
  try {
    launch();
  } catch (const Error& error) {
    launched = false;  // a lasting error shows again when the range is launched directly
  }
  cudaGraph_t recorded = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &recorded);
  cudaGraphExec_t graph = nullptr;
  if (launched && ended == cudaSuccess &&
      cudaGraphInstantiate(&graph, recorded, 0) != cudaSuccess) {
    graph = nullptr;
  }
  if (recorded != nullptr) cudaGraphDestroy(recorded);
  cudaGetLastError();  // clears the error of a failed capture, so that later calls do not report it
  return Graph(graph);
}

}  // namespace paceline::cuda
