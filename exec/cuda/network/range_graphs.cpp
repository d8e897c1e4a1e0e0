// SPDX-License-Identifier: MIT
#include "exec/cuda/network/range_graphs.hpp"

#include <vector>

#include "exec/cuda/runtime/check.hpp"

namespace paceline::cuda {
namespace {

/// The node of a graph that records an event; null if there is none.
cudaGraphNode_t event_node_of(cudaGraph_t graph) {
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count), "counting a graph's nodes");
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count), "listing a graph's nodes");
  for (cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    check(cudaGraphNodeGetType(node, &type), "looking at a graph's node");
    if (type == cudaGraphNodeTypeEventRecord) return node;
  }
  return nullptr;
}

}  // namespace

void RangeGraphs::run(const LayerRange& range, const std::function<void()>& launch) {
  run({static_cast<int>(range.pass), range.first, range.last}, launch, nullptr);
}

void RangeGraphs::run_both(const LayerRange& range, const std::function<void()>& forward,
                           const std::function<void()>& backward, const DeviceEvent& border) {
  const auto both = [&] {
    forward();
    recording_ ? border.record_in_graph(stream_) : border.record(stream_);
    backward();
  };
  run({kBoth, range.first, range.last}, both, &border);
}

void RangeGraphs::run(const Key& key, const std::function<void()>& launch,
                      const DeviceEvent* border) {
  if (!enabled_) return launch();
  const auto [at, first_time] = known_.try_emplace(key);
  Known& known = at->second;
  if (first_time || known.plain) return launch();
  if (known.graph == nullptr) {
    known.plain = graphs_ == kMost || !record(known, launch, border != nullptr);
    if (known.plain) return launch();
    ++graphs_;
  }
  if (border != nullptr) {
    check(cudaGraphExecEventRecordNodeSetEvent(known.graph.get(), known.border, border->get()),
          "choosing an event of a graph");
  }
  check(cudaGraphLaunch(known.graph.get(), stream_), "launching layers");
}

/// Records `launch`; false if it cannot be captured.
bool RangeGraphs::record(Known& known, const std::function<void()>& launch, bool with_border) {
  // thread-local mode: other threads may allocate during the capture
  if (cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  bool launched = true;
  recording_ = true;
  try {
    launch();
  } catch (const Error& error) {
    launched = false;  // a lasting error shows again when the range is launched directly
  }
  recording_ = false;
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &captured);
  Recorded recorded(captured);
  cudaGraphExec_t graph = nullptr;
  if (launched && ended == cudaSuccess &&
      cudaGraphInstantiate(&graph, recorded.get(), 0) == cudaSuccess) {
    known.graph.reset(graph);
    if (with_border) {
      known.border = event_node_of(recorded.get());
      known.recorded = std::move(recorded);
    }
  }
  cudaGetLastError();  // clears the error of a failed capture, so that later calls do not report it
  return known.graph != nullptr;
}

}  // namespace paceline::cuda
